import { manyAttempts, retrying, tellRetry } from '../retry.ts'
import { send as sendOne } from '../send.ts'
import { UserError } from '../user-error.ts'

/** An answer. */
export interface RawAnswer {
  readonly status: number
  readonly text: string
  /** The target of a redirect. It is not followed: the token must not leave this server. */
  readonly location: string | null
}

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH'

/** The query, headers and body of a request. */
export interface Asked {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly contentType?: string
  /** Whether the request is repeated for some minutes while the server does not answer, as in a restart; for reads. */
  readonly isPatient?: boolean
  /** Called with each part of a successful answer as it arrives. */
  readonly onPart?: (part: Uint8Array) => void
}

/** Sends a request to a path below `/v1/`. */
export type Send = (method: Method, path: string, more?: Asked) => Promise<RawAnswer>

/** A header that is sent if it has a value; `name` is used in errors. */
export interface HeaderValue {
  readonly header: string
  readonly value: string | undefined
  readonly name: string
}

/** Prepares requests to one address, as {@link serverAddress} returns it. */
export function sender(
  address: string,
  values: readonly HeaderValue[],
  fixed: Readonly<Record<string, string>>,
): Send {
  const headers: Record<string, string> = { ...fixed }
  for (const { header, value: untrimmed, name } of values) {
    const value = untrimmed?.trim() ?? ''
    // The platform's error would quote it, and it may be a secret.
    if (!/^[\x20-\x7e]*$/.test(value))
      throw new UserError(`${name} contains a line break or another character that headers cannot have`, 2)
    if (value !== '') headers[header] = value
  }
  return async (
    method,
    path,
    { query = {}, body, contentType = 'application/json', onPart, isPatient = false } = {},
  ) => {
    const segments = path.split('/')
    // The platform would resolve them, and request another path.
    if (segments.some((segment) => segment === '.' || segment === '..'))
      throw new UserError(`the path ${path} contains . or .. as a segment, which a URL cannot have`, 2)
    const encoded = segments.map(encodeURIComponent).join('/')
    const parameters = new URLSearchParams(query).toString()
    const once = () =>
      sendOne({
        method,
        url: `${address}/v1/${encoded}${parameters === '' ? '' : `?${parameters}`}`,
        headers: body === undefined ? headers : { ...headers, 'content-type': contentType },
        json: body,
        longestAnswer: Number.POSITIVE_INFINITY,
        onPart,
      })
    const {
      status,
      text,
      why,
      headers: answered,
    } = isPatient
      ? await retrying(once, { attempts: manyAttempts, onRetry: tellRetry(address) })
      : await once()
    if (status === 0) throw new UserError(String(why))
    return { status, text, location: answered.location ?? null }
  }
}
