import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { whyUnreachable } from '../client/request.ts'
import type { Progress } from '../progress.ts'
import { type Attempt, retrying } from '../retry.ts'
import { UserError } from '../user-error.ts'

/** The digest of a file in hexadecimal. */
export async function digestOf(path: string, type: string): Promise<string> {
  const hash = createHash(type)
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

export const sha256Of = (path: string): Promise<string> => digestOf(path, 'sha256')

/** Fetches an image into a file, from where an earlier attempt ended; redirects are followed without the token. */
export async function download(
  url: string,
  headers: Readonly<Record<string, string>>,
  path: string,
  shown: Pick<Progress, 'report'>,
): Promise<void> {
  const last = await retrying<Attempt & { readonly why?: string }>(
    () => attempt(url, headers, path, shown).catch((error) => ({ status: 0, why: whyUnreachable(error) })),
    {},
  )
  if (last.status !== 200 && last.status !== 206)
    throw new UserError(`cannot fetch ${withoutQuery(url)}: ${last.why ?? `status ${last.status}`}`)
}

async function attempt(
  url: string,
  headers: Readonly<Record<string, string>>,
  path: string,
  shown: Pick<Progress, 'report'>,
): Promise<Attempt> {
  const have = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  const answer = await fetch(url, { headers: have > 0 ? { ...headers, range: `bytes=${have}-` } : headers })
  const { status, body } = answer
  // All of it was there already.
  if (status === 416) {
    await body?.cancel()
    return { status: 200 }
  }
  if ((status !== 200 && status !== 206) || body === null) {
    await body?.cancel()
    const after = Number(answer.headers.get('retry-after'))
    return { status, ...(Number.isFinite(after) && after > 0 ? { retryAfter: after } : {}) }
  }
  const start = status === 206 ? have : 0
  const total = start + Number(answer.headers.get('content-length') ?? 0)
  let done = start
  const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      done += chunk.byteLength
      shown.report(done, total)
      yield chunk
    }
  }
  await pipeline(
    Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
    counted,
    createWriteStream(path, { flags: start > 0 ? 'a' : 'w' }),
  )
  return { status }
}

/** Addresses of images may carry leave to fetch them. */
const withoutQuery = (url: string): string => url.replace(/\?.*/, '')
