import { once } from 'node:events'
import type { Download } from '../digests-at.ts'
import { openUrl } from '../open-url.ts'
import { type Attempt, retryAfterOf, retrying, tellRetry } from '../retry.ts'
import { isLasting, whyUnreachable } from '../unreachable.ts'
import { UserError } from '../user-error.ts'
import { openPart, type Part } from './part.ts'

/** An image being downloaded: its bytes are written to a file, which can be read at the same time. */
export interface IncomingImage {
  /** Its size in bytes: known once the first bytes arrive. */
  readonly size: Promise<number>
  /** All of its bytes; waits for those that have not arrived yet. Throws if the download fails. */
  readonly read: () => AsyncGenerator<Uint8Array, void>
  /** Closes the file and ends the download. */
  readonly close: () => Promise<void>
}

/** The URL of an image. */
export interface ImageSource extends Download {
  /** Whether its checksum is verified in the end: only then may the download resume the part of an earlier run. */
  readonly isChecked: boolean
}

interface Tried extends Attempt {
  readonly why?: string
}

const readAtOnce = 1024 * 1024

/** Downloads an image to a file, resuming an earlier attempt of this or another run. */
export async function fetchImage(source: ImageSource, path: string): Promise<IncomingImage> {
  const part = await openPart(path)
  const abort = new AbortController()
  let isOver = false
  let [sizeIs, sizeFails] = [(_: number): void => {}, (_: unknown): void => {}]
  const size = new Promise<number>((resolve, reject) => {
    sizeIs = resolve
    sizeFails = reject
  })
  size.catch(() => undefined)
  const arrived = fetchWhole(source, part, sizeIs, abort.signal).finally(() => {
    isOver = true
    part.news.emit('more')
  })
  arrived.then(() => sizeIs(part.length()), sizeFails)
  return {
    size,
    read: async function* () {
      const { beginnings } = part
      const before = beginnings()
      for (let at = 0; ; ) {
        if (beginnings() !== before) throw new Error('the image changed during the download')
        if (at < part.length()) {
          const bytes = await part.read(at, Math.min(readAtOnce, part.length() - at))
          at += bytes.length
          yield bytes
        } else if (isOver) return await arrived
        else await once(part.news, 'more')
      }
    },
    close: async () => {
      abort.abort()
      await arrived.catch(() => undefined)
      await part.close()
    },
  }
}

/** Retries until the image is complete, or several attempts in a row made no progress. */
async function fetchWhole(
  source: ImageSource,
  part: Part,
  sizeIs: (size: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const before = part.length()
    const last = await retrying<Tried>(
      () =>
        take(source, part, sizeIs, signal).catch((error) => ({
          status: signal.aborted ? 499 : 0,
          why: whyUnreachable(error),
          isLasting: error instanceof UserError || isLasting(error),
        })),
      { onRetry: tellRetry(source.url) },
    )
    if (last.status === 200) return
    if (last.status !== 0 || part.length() <= before)
      throw new UserError(`cannot fetch ${withoutQuery(source.url)}: ${last.why ?? `status ${last.status}`}`)
  }
}

/** One attempt to download the missing part; status 200 once the image is complete. */
async function take(
  { url, headers, isChecked }: ImageSource,
  part: Part,
  sizeIs: (size: number) => void,
  signal: AbortSignal,
): Promise<Tried> {
  const etag = await part.etag()
  if (etag === undefined && !isChecked) await part.begin(undefined)
  const have = part.length()
  const rest = have === 0 ? {} : { range: `bytes=${have}-`, ...(etag ? { 'if-range': etag } : {}) }
  const answer = await openUrl(url, { ...(await headers()), ...rest }, signal)
  const { statusCode: status = 0, headers: received } = answer
  const [, from, total] = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(received['content-range'] ?? '') ?? []
  if (status === 416 || (status === 206 && Number(from) !== have)) {
    answer.destroy()
    if (status === 416 && Number(total) === have) return { status: 200 }
    // The stored part does not belong to this image.
    await part.begin(undefined)
    return { status: 0, why: 'the image changed during the download' }
  }
  if (status !== 200 && status !== 206) {
    answer.destroy()
    return { status, retryAfter: retryAfterOf(received) }
  }
  if (status === 200) await part.begin(received.etag)
  const size = status === 206 ? Number(total) : Number(received['content-length'] ?? Number.NaN)
  if (Number.isFinite(size)) sizeIs(size)
  for await (const chunk of answer) await part.append(chunk)
  return { status: 200 }
}

/** Image URLs may contain credentials. */
const withoutQuery = (url: string): string => url.replace(/\?.*/, '')
