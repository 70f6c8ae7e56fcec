import { once } from 'node:events'
import { type Attempt, retryAfterOf, retrying, tellRetry } from '../retry.ts'
import { isLasting, whyUnreachable } from '../unreachable.ts'
import { UserError } from '../user-error.ts'
import { openImage } from './open-image.ts'
import { openPart, type Part } from './part.ts'

/** An image on its way: its bytes are kept in a file as they come, and can be read meanwhile. */
export interface IncomingImage {
  /** How many bytes it has: known once the first come. */
  readonly size: Promise<number>
  /** All of its bytes from the first; waits for those that have yet to come. Throws when it cannot be fetched. */
  readonly read: () => AsyncGenerator<Uint8Array, void>
  /** Lets go of the file; fetching ends. */
  readonly close: () => Promise<void>
}

/** Where to fetch an image. */
export interface ImageSource {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether its bytes are checked in the end: the rest of an image may then follow a part that another run left. */
  readonly isChecked: boolean
}

interface Tried extends Attempt {
  readonly why?: string
}

const readAtOnce = 1024 * 1024

/** Fetches an image into a file, from where an earlier attempt ended, be it of this run or of another. */
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

/** Tries until all of it has come, or nothing more came in as many attempts as are made of anything. */
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
      { onRetry: tellRetry },
    )
    if (last.status === 200) return
    if (last.status !== 0 || part.length() <= before)
      throw new UserError(`cannot fetch ${withoutQuery(source.url)}: ${last.why ?? `status ${last.status}`}`)
  }
}

/** One attempt at what is missing; status 200 once nothing is. */
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
  const answer = await openImage(url, { ...headers, ...rest }, signal)
  const { statusCode: status = 0, headers: told } = answer
  const [, from, total] = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(told['content-range'] ?? '') ?? []
  if (status === 416 || (status === 206 && Number(from) !== have)) {
    answer.destroy()
    if (status === 416 && Number(total) === have) return { status: 200 }
    // What is here is no part of what is there.
    await part.begin(undefined)
    return { status: 0, why: 'the image changed during the download' }
  }
  if (status !== 200 && status !== 206) {
    answer.destroy()
    return { status, retryAfter: retryAfterOf(told) }
  }
  if (status === 200) await part.begin(told.etag)
  const size = status === 206 ? Number(total) : Number(told['content-length'] ?? Number.NaN)
  if (Number.isFinite(size)) sizeIs(size)
  for await (const chunk of answer) await part.append(chunk)
  return { status: 200 }
}

/** Addresses of images may carry leave to fetch them. */
const withoutQuery = (url: string): string => url.replace(/\?.*/, '')
