/**
 * The result of a route, before it becomes a `Response`: data for the service's encoder, or bytes.
 */
export interface Reply {
  /** HTTP status; 200 by default, 204 without a body. */
  readonly status?: number | undefined
  /** Header name → value, or values for a header that may repeat. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined
  /** A JSON value, which the service's encoder serializes. */
  readonly body?: unknown
  /** A body that is sent unchanged, with its media type. */
  readonly raw?: RawBody | undefined
}

/**
 * A body that is not encoded.
 */
export interface RawBody {
  /** Its media type; `undefined` sends no `Content-Type`. */
  readonly type: string | undefined
  /** The bytes: a string is sent as UTF-8, a stream is passed on as it arrives. */
  readonly content: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}

/**
 * Answers with a JSON value.
 *
 * @example
 * ```ts
 * import { reply } from 'plinth/http'
 *
 * reply({ id: 7 }, { status: 201 }) // { body: { id: 7 }, status: 201 }
 * ```
 */
export const reply = (body?: unknown, init: Omit<Reply, 'body' | 'raw'> = {}): Reply =>
  body === undefined ? init : { body, ...init }

/**
 * Answers 204 with no body.
 *
 * @example
 * ```ts
 * import { noContent } from 'plinth/http'
 *
 * noContent({ 'X-Index': '7' }) // { status: 204, headers: { 'X-Index': '7' } }
 * ```
 */
export const noContent = (headers: Reply['headers'] = {}): Reply => ({ status: 204, headers })

/**
 * Redirects the caller.
 *
 * @example
 * ```ts
 * import { redirect } from 'plinth/http'
 *
 * redirect(303, '/login').headers // { location: '/login' }
 * ```
 */
export const redirect = (status: 301 | 302 | 303 | 307 | 308, location: string): Reply => ({
  status,
  headers: { location },
})

/**
 * Answers with bytes, text or a stream, unencoded.
 *
 * @example
 * ```ts
 * import { raw } from 'plinth/http'
 *
 * raw('a,b', 'text/csv', { status: 203 }) // { status: 203, raw: { type: 'text/csv', content: 'a,b' } }
 * ```
 */
export const raw = (
  content: RawBody['content'],
  type: string | undefined,
  init: Omit<Reply, 'body' | 'raw'> = {},
): Reply => ({ raw: { type, content }, ...init })
