import type { Refused } from '../../kernel/index.ts'
import { byteReader } from './byte-reader.ts'
import type { ArchiveLimits, Entry, Visit } from './entry.ts'
import { inflate } from './inflate.ts'
import { type Layout, layoutBuilder } from './layout.ts'
import { ArchiveProblem, type ArchiveRefusal, invalid, tooLarge } from './problem.ts'
import type { ArchiveSource } from './source.ts'
import { readTar } from './tar.ts'
import { readZip } from './zip.ts'
import { tooMany } from './zip-directory.ts'

/** The archive formats that module clients unpack. */
export type ArchiveFormat = 'tar.gz' | 'zip'

/** Detects the format of an archive by its first bytes. */
export function formatOf([first, second, third]: Uint8Array): ArchiveFormat | undefined {
  if (first === 0x1f && second === 0x8b) return 'tar.gz'
  return first === 0x50 && second === 0x4b && (third === 3 || third === 5) ? 'zip' : undefined
}

/**
 * Reads a whole archive: every byte is unpacked and counted, every path and link checked.
 *
 * @param visit - called with each file and its bytes
 * @param rootOf - returns the folder of the module within the archive, once everything is read
 */
export async function readArchive(
  source: ArchiveSource,
  format: ArchiveFormat,
  {
    limits,
    visit,
    onEntry,
    rootOf,
  }: {
    readonly limits: ArchiveLimits
    readonly visit: Visit
    /** Called with every entry, before its bytes. */
    readonly onEntry: (entry: Entry) => void
    /** With a trailing slash; empty for the root of the archive. */
    readonly rootOf: () => string
  },
): Promise<{ readonly ok: true; readonly value: Layout } | Refused<ArchiveRefusal>> {
  const layout = layoutBuilder()
  let count = 0
  let expanded = 0
  const add: Visit = async (entry, bytes) => {
    count += 1
    if (count > limits.entries) throw tooLarge(tooMany(limits.entries))
    layout.add(entry)
    onEntry(entry)
    if (entry.kind === 'file') await visit(entry, bytes)
  }
  const countBytes = (bytes: number): void => {
    expanded += bytes
    if (expanded > limits.expandedBytes)
      throw tooLarge(`the archive holds more than ${limits.expandedBytes} bytes, unpacked`)
  }
  try {
    if (format === 'zip') await readZip(source, { maxEntries: limits.entries, count: countBytes }, add)
    else await readTarGz(source, countBytes, add)
    if (count === 0) throw invalid('the archive is empty')
    return { ok: true, value: layout.finish(rootOf()) }
  } catch (error) {
    if (error instanceof ArchiveProblem) return error.refused
    throw error
  }
}

async function readTarGz(source: ArchiveSource, count: (bytes: number) => void, visit: Visit): Promise<void> {
  const counted = async function* () {
    for await (const chunk of inflate(source.unpacking, 'gzip', source.read(0, source.size))) {
      count(chunk.length)
      yield chunk
    }
  }
  const reader = byteReader(counted())
  try {
    await readTar(reader, visit)
  } finally {
    await reader.close()
  }
}
