import { UserError } from '../user-error.ts'

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number
  readonly text: string
  /** Where a redirect leads. It is not followed: the token must not leave this server. */
  readonly location: string | null
}

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH'

/** What is asked beside method and path. */
export interface Asked {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly contentType?: string
}

/** Sends a request to a path below `/v1/`. */
export type Send = (method: Method, path: string, more?: Asked) => Promise<RawAnswer>

/** A header that is sent when it has a value; `name` is what mistakes call it. */
export interface HeaderValue {
  readonly header: string
  readonly value: string | undefined
  readonly name: string
}

/** Prepares requests to one address, as {@link serverAddress} answers it. */
export function sender(
  address: string,
  values: readonly HeaderValue[],
  fixed: Readonly<Record<string, string>>,
): Send {
  const headers: Record<string, string> = { ...fixed }
  for (const { header, value: untrimmed, name } of values) {
    const value = untrimmed?.trim() ?? ''
    // The platform would quote it, and it may be a secret.
    if (!/^[\x20-\x7e]*$/.test(value))
      throw new UserError(`${name} contains a line break or another character that headers cannot have`, 2)
    if (value !== '') headers[header] = value
  }
  return async (method, path, { query = {}, body, contentType = 'application/json' } = {}) => {
    const segments = path.split('/')
    // The platform would take them for steps up, and ask for something else.
    if (segments.some((segment) => segment === '.' || segment === '..'))
      throw new UserError(`the path ${path} contains . or .. as a segment, which a URL cannot have`, 2)
    const encoded = segments.map(encodeURIComponent).join('/')
    const parameters = new URLSearchParams(query).toString()
    try {
      const response = await fetch(`${address}/v1/${encoded}${parameters === '' ? '' : `?${parameters}`}`, {
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': contentType },
        redirect: 'manual',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return {
        status: response.status,
        text: await response.text(),
        location: response.headers.get('location'),
      }
    } catch (error) {
      throw new UserError(`cannot reach ${address}: ${whyUnreachable(error)}`)
    }
  }
}

/** Why a request came to nothing, with what the person can do about it where that is known. */
export function whyUnreachable(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const [firstLine = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
  const hint = hints[code]
  return hint === undefined ? firstLine : `${hint} (${code})`
}

/** Whether another attempt fails alike: the other side speaks no TLS, or has a certificate that is not accepted. */
export const isLasting = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /SSL|TLS|CERT|LEAF_SIGNATURE/.test(String(error.code))

const isSelfSigned =
  'its certificate is signed by an unknown authority: add the authority to NODE_EXTRA_CA_CERTS'

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; is the server running, and is the address right?',
  EMFILE: 'this process has no file descriptors left; raise the limit (ulimit -n)',
  ENOTFOUND: 'unknown host',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host: use a name that the certificate has',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  UND_ERR_SOCKET: 'the server closed the connection; does the address begin with https://?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not use TLS; does the address begin with http://?',
  DEPTH_ZERO_SELF_SIGNED_CERT: isSelfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: isSelfSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: isSelfSigned,
}
