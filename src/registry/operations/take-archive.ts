import { interruptible } from '../../http/interruptible.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { nodeUnpacking } from '../../store/blobs/node-unpacking.ts'
import type { BlobWritten } from '../../store/index.ts'
import { byteChannel } from '../archive/byte-channel.ts'
import { type InspectedModule, inspectModule } from '../archive/inspect-module.ts'
import type { ArchiveRefusal } from '../archive/problem.ts'
import { type ArchiveFormat, formatOf } from '../archive/read-archive.ts'
import type { ArchiveSource } from '../archive/source.ts'
import type { StoredArchive } from '../versions/model.ts'
import type { PublishArchiveInput } from './archive-model.ts'
import type { RegistryParts } from './parts.ts'

/** A stored archive, and the module in it. */
export interface Kept {
  readonly archive: StoredArchive
  readonly module: InspectedModule
}

type TakeRefusal =
  | ArchiveRefusal
  | 'not_a_module'
  | 'archives_not_kept'
  | 'upload_interrupted'
  | 'publish_expired'

/** The registry has no blob store. */
export const notKept = refuse(
  'archives_not_kept',
  'this registry stores no archives: pass the blobs option to createRegistry, or publish addresses',
)

/** Uploads that take longer are swept. */
export const expired = refuse('publish_expired', 'the archive took too long to arrive: publish it again')

const interrupted = refuse('upload_interrupted', 'the upload of the archive ended early: send it again')

type Inspected = Awaited<ReturnType<typeof inspectModule>>
type Written = BlobWritten | Refused<'blob_too_large'>

/**
 * Stores the bytes of an archive and parses them: a tar.gz while it arrives, a zip, whose directory is at its end,
 * after that. Bytes that do not begin like an archive are not stored.
 */
export async function takeArchive(
  parts: RegistryParts,
  blob: { readonly id: string; readonly announced: Promise<void> },
  input: PublishArchiveInput,
  body: AsyncIterable<Uint8Array>,
): Promise<{ readonly ok: true; readonly value: Kept } | Refused<TakeRefusal>> {
  const { blobs, archiveLimits: limits, reading, streaming } = parts
  if (blobs === undefined) return notKept
  const maxBytes = Math.min(limits.archiveBytes, input.maxBytes ?? limits.archiveBytes)
  const incoming = interruptible(body)
  try {
    const { head, whole } = await peek(incoming.body)
    const format = formatOf(head)
    const problem = formatProblem(format, input.format)
    if (format === undefined || problem !== undefined) {
      await whole.return()
      return refuse('invalid_archive', problem ?? 'this is not an archive')
    }
    const put = (bytes: AsyncIterable<Uint8Array>) =>
      blobs.put(blob.id, endingAfter(bytes, blob.announced), { digests: ['sha256'], maxBytes })
    const inspect = (source: ArchiveSource) => inspectModule(source, format, limits)
    const both =
      (format === 'tar.gz' ? streaming.tryRun(() => storeAndRead(whole, put, inspect)) : undefined) ??
      storeThenRead(whole, put, (size) => reading.run(() => readStored(parts, blob.id, size, inspect)))
    const { written, inspected } = await both
    if (!written.ok) return refuse('archive_too_large', `the archive is larger than ${maxBytes} bytes`)
    if (!inspected.ok) return inspected
    const archive = { blob: blob.id, size: written.size, sha256: written.digests.sha256 ?? '', format }
    return { ok: true, value: { archive, module: inspected.value } }
  } catch (error) {
    if (incoming.broke()) return interrupted
    throw error
  }
}

/** Bytes that end once their announcement is stored: none that a crash leaves behind go unnoticed. */
async function* endingAfter(bytes: AsyncIterable<Uint8Array>, announced: Promise<void>) {
  yield* bytes
  await announced
}

type Put = (bytes: AsyncIterable<Uint8Array>) => Promise<Written>
type Outcome = { readonly written: Written; readonly inspected: Inspected | typeof expired }

async function storeThenRead(
  body: AsyncIterable<Uint8Array>,
  put: Put,
  read: (size: number) => Promise<Outcome['inspected']>,
): Promise<Outcome> {
  const written = await put(body)
  return { written, inspected: written.ok ? await read(written.size) : expired }
}

/** Reads the bytes while they are stored. After a refusal, no more bytes are accepted. */
async function storeAndRead(
  body: AsyncIterable<Uint8Array>,
  put: Put,
  inspect: (source: ArchiveSource) => Promise<Inspected>,
): Promise<Outcome> {
  const channel = byteChannel()
  let isRefused = false
  const passedOn = async function* () {
    for await (const chunk of body) {
      if (isRefused) return
      await channel.write(chunk)
      yield chunk
    }
    // The module is read while its bytes are synced.
    channel.end()
  }
  const storing = put(passedOn()).finally(channel.end)
  const inspecting = inspect({ size: Number.POSITIVE_INFINITY, read: channel.read, unpacking: nodeUnpacking })
    .then((found) => {
      isRefused = !found.ok
      return found
    })
    .finally(channel.stop)
  const [stored, inspected] = await Promise.allSettled([storing, inspecting])
  if (stored.status === 'rejected') throw stored.reason
  if (inspected.status === 'rejected') throw inspected.reason
  return { written: stored.value, inspected: inspected.value }
}

async function readStored(
  { blobs }: RegistryParts,
  blob: string,
  size: number,
  inspect: (source: ArchiveSource) => Promise<Inspected>,
): Promise<Outcome['inspected']> {
  let isGone = false
  const found = await inspect({
    size,
    unpacking: nodeUnpacking,
    read: async function* (start, end) {
      const part = start < end ? await blobs?.get(blob, { start, end }) : undefined
      if (part) yield* part.body
      else if (start < end) isGone = true
    },
  })
  return isGone ? expired : found
}

/** The first bytes of a stream, and the whole stream. */
async function peek(body: AsyncGenerator<Uint8Array, void>) {
  const first: Uint8Array[] = []
  for (let size = 0; size < 4; ) {
    const next = await body.next()
    if (next.done) break
    first.push(next.value)
    size += next.value.length
  }
  const whole = (async function* () {
    yield* first
    yield* body
  })()
  return { head: Uint8Array.from(first.flatMap((chunk) => [...chunk.subarray(0, 4)]).slice(0, 4)), whole }
}

function formatProblem(
  actual: ArchiveFormat | undefined,
  said: ArchiveFormat | undefined,
): string | undefined {
  if (actual === undefined) return 'the bytes are neither a tar.gz nor a zip archive'
  return said === undefined || said === actual
    ? undefined
    : `the archive is declared as ${said} but is ${actual}`
}
