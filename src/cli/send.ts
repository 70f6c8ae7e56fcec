import { createReadStream } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { type Attempt, retryAfterOf } from './retry.ts'
import { isLasting, whyUnreachable } from './unreachable.ts'
import { UserError } from './user-error.ts'

/** The body of a request, opened again for each attempt. */
export interface SentBody {
  readonly size: number
  readonly open: () => Readable
}

/** The first bytes of a file: what is written to it later is not announced, and not sent. */
export const fileBody = (path: string, size: number): SentBody => ({
  size,
  open: () =>
    size === 0 ? Readable.from([]) : createReadStream(path, { end: size - 1, highWaterMark: 256 * 1024 }),
})

/** A request to a service. */
export interface Sent {
  readonly method: 'HEAD' | 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: SentBody | undefined
  /** A JSON body, instead of `body`. */
  readonly json?: object | undefined
  /** A body of another type that `headers` name. */
  readonly text?: string | undefined
  /** The maximum size of an answer; 32 MiB by default, since longer ones come from other servers. */
  readonly longestAnswer?: number
  /** Called with the number of bytes of the body sent so far. */
  readonly onSent?: ((bytes: number) => void) | undefined
  /** Called with each part of the body of a 200 as it arrives; its `text` is then empty. */
  readonly onPart?: ((part: Uint8Array) => void) | undefined
}

/** The answer; status 0 if there is none, with the reason. */
export interface SentAnswer extends Attempt {
  readonly headers: Readonly<IncomingHttpHeaders>
  readonly text: string
  /** Which server did not answer, and why. */
  readonly why?: string
}

const usualLongestAnswer = 32 * 1024 * 1024

/**
 * Sends a request. It follows no redirect, because its content is for one server. Rejects only with the UserError of a
 * body that cannot be read.
 *
 * Does not use `fetch`, whose WebAssembly is compiled in every process: 30 ms of the 140 of a short command.
 */
export function send({
  method,
  url,
  headers: given,
  body,
  json,
  text: plain,
  longestAnswer = usualLongestAnswer,
  onSent,
  onPart,
}: Sent): Promise<SentAnswer> {
  return new Promise((resolve, reject) => {
    const failed = (error: unknown) =>
      resolve({
        status: 0,
        headers: {},
        text: '',
        why: `cannot reach ${new URL(url).origin}: ${whyUnreachable(error)}`,
        isLasting: isLasting(error),
      })
    const text = json === undefined ? plain : JSON.stringify(json)
    const headers = json === undefined ? given : { 'content-type': 'application/json', ...given }
    const length: Record<string, string> = body === undefined ? {} : { 'content-length': String(body.size) }
    const request = (url.startsWith('https:') ? tlsRequest : plainRequest)(
      url,
      { method, headers: { ...headers, ...length } },
      (answer) => {
        answer.on('error', failed)
        receive(answer, { longestAnswer, onPart }, (received) => {
          resolve(received)
          // A refusal may come before the body is sent; the rest of the body is dropped.
          if (!request.writableFinished) request.destroy()
        })
      },
    )
    request.on('error', failed)
    if (body === undefined) return void request.end(text)
    const bytes = body.open()
    let sent = 0
    bytes.on('data', (chunk) => {
      sent += chunk.length
      onSent?.(sent)
    })
    bytes.on('error', (error) => {
      if (error instanceof UserError) reject(error)
      request.destroy(error)
    })
    bytes.on('end', () => {
      if (sent >= body.size) return
      reject(
        new UserError(`the file changed while it was sent: it ended after ${sent} of ${body.size} bytes`),
      )
      // The server would wait for the rest.
      request.destroy()
    })
    // The unsent rest of the body need not be read.
    request.on('close', () => bytes.destroy())
    bytes.pipe(request)
  })
}

/** Whether an answer is that of a server that reads its records, as after a restart. */
export const saysStarting = (status: number | undefined, text: string): boolean =>
  status === 503 && text.startsWith('{"ready":false')

/** Reads the body of an answer to its end, up to its maximum size. */
function receive(
  answer: IncomingMessage,
  { longestAnswer, onPart }: Required<Pick<Sent, 'longestAnswer'>> & Pick<Sent, 'onPart'>,
  received: (answer: SentAnswer) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  answer.on('data', (chunk: Buffer) => {
    if (onPart && answer.statusCode === 200) return onPart(chunk)
    size += chunk.length
    if (size <= longestAnswer) chunks.push(chunk)
  })
  answer.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8')
    received({
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      text,
      retryAfter: retryAfterOf(answer.headers),
      isStarting: saysStarting(answer.statusCode, text),
    })
  })
}
