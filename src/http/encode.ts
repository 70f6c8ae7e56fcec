import type { Answered, Exchange } from './exchange.ts'
import type { RawBody, Reply } from './reply.ts'

/**
 * Encodes a JSON answer; a service may supply its own encoder (an envelope, indentation).
 */
export interface Encoded {
  readonly content: string
  readonly type: string
}

/** The default: compact JSON. */
export const compactJson = (body: unknown): Encoded => ({
  content: JSON.stringify(body),
  type: 'application/json',
})

/** Compressing an answer that fits one packet gains nothing. */
const longStringLength = 1400

/** The characters that no header value may contain: line breaks would start another header (RFC 9110, 5.5). */
const notInHeaders = /[^\t\x20-\x7e\x80-\xff]/

/** The answer of a reply with a body as it is sent. A body of 204 or 304 is dropped: HTTP forbids one. */
export function answerOf(reply: Reply, body: RawBody | undefined): Answered {
  const status = reply.status ?? (body === undefined ? 204 : 200)
  const answered: Answered = { status, headers: {}, body: undefined }
  const { headers } = answered
  if (body !== undefined && status !== 204 && status !== 304) {
    answered.body = body.content
    if (body.type !== undefined) headers['content-type'] = body.type
  }
  const given = reply.headers
  for (const name in given) {
    const value = given[name]
    if (value === undefined) continue
    for (const item of typeof value === 'string' ? [value] : value)
      if (notInHeaders.test(item))
        throw new TypeError(`the value of header ${name} contains characters that headers cannot have`)
    headers[name.toLowerCase()] = value
  }
  return answered
}

/**
 * Compresses a long string body for a client that accepts gzip.
 *
 * @param always - compresses short strings, too
 */
export function compress(answered: Answered, exchange: Exchange, always: boolean): void {
  const { headers, body } = answered
  if (typeof body !== 'string' || (!always && body.length < longStringLength)) return
  const { vary } = headers
  headers['vary'] = vary === undefined ? 'Accept-Encoding' : `${[vary].flat().join(', ')}, Accept-Encoding`
  if (exchange.method === 'HEAD' || headers['content-encoding'] !== undefined || !acceptsGzip(exchange))
    return
  headers['content-encoding'] = 'gzip'
  delete headers['content-length']
  answered.gzip = true
}

/** Whether `Accept-Encoding` accepts gzip: by name, or by `*`. */
const acceptsGzip = (exchange: Exchange): boolean => {
  const accepted = exchange.header('accept-encoding')?.toLowerCase().split(',')
  const item =
    accepted?.find((coding) => /^\s*(?:x-)?gzip\s*(?:;|$)/.test(coding)) ??
    accepted?.find((coding) => /^\s*\*\s*(?:;|$)/.test(coding))
  return item !== undefined && !/;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/.test(item)
}
