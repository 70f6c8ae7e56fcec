import { createReadStream } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { whyUnreachable } from './client/request.ts'
import type { Attempt } from './retry.ts'

/** A request to a service, with a file as its body where there is one. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly file?: { readonly path: string; readonly size: number } | undefined
  /** A body of JSON, in place of a file. */
  readonly json?: object | undefined
  /** Hears how many bytes of the file were sent. */
  readonly onSent?: ((bytes: number) => void) | undefined
}

/** The answer to it; status 0 where none came, and why. */
export interface SentAnswer extends Attempt {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly why?: string
}

/** Longer answers are of something else than the services this program talks to. */
const longestAnswer = 32 * 1024 * 1024

/** Sends a request. It follows no redirect: what it carries is for one server. Never rejects. */
export function send({ method, url, headers: given, file, json, onSent }: Sent): Promise<SentAnswer> {
  return new Promise((resolve) => {
    const failed = (error: unknown) =>
      resolve({ status: 0, headers: {}, text: '', why: whyUnreachable(error) })
    const text = json === undefined ? undefined : JSON.stringify(json)
    const headers = text === undefined ? given : { ...given, 'content-type': 'application/json' }
    const length = file === undefined ? {} : { 'content-length': String(file.size) }
    const request = (url.startsWith('https:') ? tlsRequest : plainRequest)(
      url,
      { method, headers: { ...headers, ...length } },
      (answer) => {
        const chunks: Buffer[] = []
        let size = 0
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size <= longestAnswer) chunks.push(chunk)
        })
        answer.on('error', failed)
        answer.on('end', () => {
          const after = Number(answer.headers['retry-after'])
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: Buffer.concat(chunks).toString('utf8'),
            ...(Number.isFinite(after) && after >= 0 ? { retryAfter: after } : {}),
          })
          // A refusal may come before all is sent: the rest is of no use.
          if (!request.writableFinished) request.destroy()
        })
      },
    )
    request.on('error', failed)
    if (file === undefined) return void request.end(text)
    const body = createReadStream(file.path)
    let sent = 0
    body.on('data', (chunk) => {
      sent += chunk.length
      onSent?.(sent)
    })
    body.on('error', (error) => {
      request.destroy(error)
    })
    body.pipe(request)
  })
}
