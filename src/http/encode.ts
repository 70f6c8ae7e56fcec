import type { RawBody, Reply } from './reply.ts'

/**
 * Spells a JSON answer for the wire; a service may give its own (an envelope, indentation).
 *
 * @public
 */
export interface Encoded {
  readonly content: string
  readonly type: string
}

/** The plain spelling: compact JSON. */
export const compactJson = (body: unknown): Encoded => ({
  content: JSON.stringify(body),
  type: 'application/json',
})

/** The long texts of responses, from which they can be compressed. */
const longTexts = new WeakMap<Response, string>()

/** What fits one packet anyway gains nothing. */
const longTextLength = 1400

/** Builds the `Response` of a reply. A body of 204 or 304 is dropped: HTTP forbids one. */
export function toResponse(answer: Reply, spell: (body: unknown) => Encoded): Response {
  const body = answer.raw ?? (answer.body === undefined ? undefined : asRaw(spell(answer.body)))
  const status = answer.status ?? (body === undefined ? 204 : 200)
  const isEmpty = body === undefined || status === 204 || status === 304
  const response = new Response(isEmpty ? null : body.content, { status })
  // Written straight into the response: `Headers` made beforehand would be copied name by name.
  const { headers } = response
  // A string body gets a default type from the platform; its own, or that it has none, is said here.
  if (!isEmpty) {
    const isText = typeof body.content === 'string'
    if (body.type !== undefined) headers.set('content-type', body.type)
    else if (isText) headers.delete('content-type')
    if (isText && body.content.length >= longTextLength) longTexts.set(response, body.content)
  }
  const given = answer.headers
  for (const name in given) {
    const value = given[name]
    if (typeof value === 'string') headers.set(name, value)
    else if (value !== undefined) appendAll(headers, name, value)
  }
  return response
}

/** The first of several values takes the place of what is there. */
function appendAll(headers: Headers, name: string, values: readonly string[]): void {
  for (const [at, value] of values.entries()) {
    if (at === 0) headers.set(name, value)
    else headers.append(name, value)
  }
}

const asRaw = ({ content, type }: Encoded): RawBody => ({ content, type })

/** The same response without its body, as `HEAD` wants it. */
export const withoutBody = (response: Response): Response => {
  void response.body?.cancel()
  return new Response(null, { status: response.status, headers: response.headers })
}

/**
 * The same response for whoever accepts gzip: a long text is compressed as it is sent, anything else stays as it is.
 *
 * @param always - compresses short texts, too: of a service that has no other bodies
 */
export function compressed(response: Response, request: Request, always: boolean): Response {
  const text = longTexts.get(response)
  // A body that is asked for becomes a stream of the host's: only where no text is known.
  const body = text === undefined && always ? response.body : null
  if (text === undefined && body === null) return response
  const { status, headers } = response
  headers.append('vary', 'Accept-Encoding')
  if (request.method === 'HEAD' || !acceptsGzip(request) || headers.has('content-encoding')) return response
  headers.set('content-encoding', 'gzip')
  headers.delete('content-length')
  const packed = text === undefined ? body?.pipeThrough(new CompressionStream('gzip')) : gzip(text)
  return new Response(packed, { status, headers })
}

function gzip(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new CompressionStream('gzip')
  const writer = writable.getWriter()
  // Who reads it hears of a failure; who goes away before its end leaves these unanswered.
  writer.write(new TextEncoder().encode(text)).catch(() => {})
  writer.close().catch(() => {})
  return readable
}

/** Whether `Accept-Encoding` admits gzip: by name, or as one of all that are not named. */
const acceptsGzip = ({ headers }: Request): boolean => {
  const accepted = headers.get('accept-encoding')?.toLowerCase().split(',')
  const item =
    accepted?.find((coding) => /^\s*(?:x-)?gzip\s*(?:;|$)/.test(coding)) ??
    accepted?.find((coding) => /^\s*\*\s*(?:;|$)/.test(coding))
  return item !== undefined && !/;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/.test(item)
}
