import { type ByteReader, byteReader } from './byte-reader.ts'
import type { Entry, EntryKind, Visit } from './entry.ts'
import { decodeName, entryPath } from './entry-path.ts'
import { inflate } from './inflate.ts'
import { invalid, shown, tooLarge } from './problem.ts'
import type { ArchiveSource } from './source.ts'
import { checkFlags, type ListedEntry, readDirectory, viewOf } from './zip-directory.ts'

/** The maximum length of a link's target. */
const longestTarget = 4096

/**
 * Reads a zip archive front to back, by the directory at its end. Each entry's own header must agree with the
 * directory, and no two may share bytes: programs differ in which of them they use.
 *
 * @param count - called with all unpacked bytes, and may throw
 */
export async function readZip(
  source: ArchiveSource,
  { maxEntries, count }: { readonly maxEntries: number; readonly count: (bytes: number) => void },
  visit: Visit,
): Promise<void> {
  const { entries, directoryAt } = await readDirectory(source, maxEntries)
  const reader = byteReader(source.read(0, directoryAt))
  try {
    for (const entry of entries) {
      await goToBytes(reader, entry)
      const bytes = unpacked(source, reader, entry, count)
      const kind = kindOf(entry)
      const target = kind === 'symlink' ? await targetOf(entry, bytes) : ''
      if (kind === 'folder' && entry.unpackedBytes > 0)
        throw invalid(`${shown(entry.name)} is a folder with content`)
      const found: Entry = { path: entryPath(entry.name), kind, target }
      await visit(found, bytes)
      // Its size and checksum count even when it is not read.
      for await (const _ of bytes);
    }
  } finally {
    await reader.close()
  }
}

/** Reads an entry's own header, up to its bytes. */
async function goToBytes(reader: ByteReader, entry: ListedEntry): Promise<void> {
  const before = entry.offset - reader.position()
  if (before < 0) throw invalid(`${shown(entry.name)} shares its bytes with another file`)
  const short = (await reader.skip(before)) < before
  const header = viewOf(await reader.take(30))
  if (short || header.byteLength < 30 || header.getUint32(0, true) !== 0x04034b50) throw contradicts(entry)
  checkFlags(header.getUint16(6, true), entry.name)
  const name = await reader.take(header.getUint16(26, true))
  await reader.skip(header.getUint16(28, true))
  const method = entry.method === 'stored' ? 0 : 8
  if (header.getUint16(8, true) !== method || decodeName(name) !== entry.name) throw contradicts(entry)
}

/** An entry's bytes, unpacked; checked at their end. */
async function* unpacked(
  { unpacking }: Pick<ArchiveSource, 'unpacking'>,
  reader: ByteReader,
  entry: ListedEntry,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void> {
  const end = reader.position() + entry.packedBytes
  const packed = reader.chunks(entry.packedBytes)
  let size = 0
  let crc = 0
  for await (const chunk of entry.method === 'stored' ? packed : inflate(unpacking, 'deflate-raw', packed)) {
    count(chunk.length)
    size += chunk.length
    if (size > entry.unpackedBytes) throw contradicts(entry)
    crc = unpacking.crc32(chunk, crc)
    yield chunk
  }
  if (size !== entry.unpackedBytes || reader.position() !== end) throw contradicts(entry)
  if (crc !== entry.crc) throw invalid(`${shown(entry.name)} is damaged: it does not have its own checksum`)
}

function kindOf({ name, unixMode = 0 }: ListedEntry): EntryKind {
  const format = unixMode & 0xf000
  if (format === 0xa000) return 'symlink'
  if (format !== 0 && format !== 0x8000 && format !== 0x4000)
    throw invalid(`${shown(name)} is a device or a pipe, which modules cannot contain`)
  return name.endsWith('/') ? 'folder' : 'file'
}

async function targetOf({ name }: ListedEntry, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const target = new Uint8Array(longestTarget)
  let length = 0
  for await (const chunk of bytes) {
    if (length + chunk.length > longestTarget)
      throw tooLarge(`the link ${shown(name)} leads to a path of more than ${longestTarget} bytes`)
    target.set(chunk, length)
    length += chunk.length
  }
  return decodeName(target.subarray(0, length))
}

const contradicts = ({ name }: ListedEntry) =>
  invalid(`${shown(name)} is not what the list at the end of the archive says`)
