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
    if (body.type !== undefined) headers.set('content-type', body.type)
    else if (typeof body.content === 'string') headers.delete('content-type')
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

/** Whether a request's `Accept-Encoding` admits gzip. */
export const acceptsGzip = (request: Request): boolean => {
  const accepted = request.headers.get('accept-encoding')
  if (accepted === null) return false
  for (const item of accepted.split(',')) {
    const [coding, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    if (coding !== 'gzip' && coding !== 'x-gzip' && coding !== '*') continue
    return !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  }
  return false
}

/** The same response, gzip-compressed as it streams. */
export const gzipped = (response: Response): Response => {
  if (response.body === null || response.headers.has('content-encoding')) return response
  const headers = new Headers(response.headers)
  headers.set('content-encoding', 'gzip')
  headers.delete('content-length')
  return new Response(response.body.pipeThrough(new CompressionStream('gzip')), {
    status: response.status,
    headers,
  })
}
