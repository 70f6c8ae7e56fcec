import { UserError } from '../user-error.ts'

/** Options that every client command has. */
export const connectionOptions = ['address', 'namespace', 'format'] as const

/** An answer of the secrets service. */
export interface Answer {
  readonly status: number
  /** Empty when nothing came; `undefined` when what came is no JSON object, such as the page of another server. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** Where a redirect leads. It is not followed: the token is for nobody else. */
  readonly location: string | null
}

/** A line to one secrets service. */
export interface Connection {
  readonly call: (
    method: 'GET' | 'PUT' | 'DELETE',
    path: string,
    more?: { readonly query?: Readonly<Record<string, string>>; readonly body?: object },
  ) => Promise<Answer>
}

/**
 * Connects to the service named by `-address` or `SECRETS_ADDR`, with the token in `SECRETS_TOKEN`.
 *
 * @remarks
 * Every request carries `X-Secrets-Request: true`, which a listener may require of those who are no browser.
 */
export function connect(options: Readonly<Record<string, string>>, env = process.env): Connection {
  const address = (options['address'] ?? env['SECRETS_ADDR'] ?? 'http://127.0.0.1:8200').replace(/\/+$/, '')
  if (/^https?:\/\/[^/]*@/.test(address))
    throw new UserError('the address has a name or a password before its host: leave that out', 2)
  if (!/^https?:\/\/[^/]/.test(address) || !URL.canParse(address))
    throw new UserError(`"${address}" is no address: write it as http://127.0.0.1:8200`, 2)
  const namespace = (options['namespace'] ?? env['SECRETS_NAMESPACE'])?.trim()
  const token = env['SECRETS_TOKEN']?.trim()
  // The platform would quote it, and it may be a secret.
  for (const [name, value] of [
    ['SECRETS_TOKEN', token],
    ['the namespace', namespace],
  ] as const)
    if (value !== undefined && !/^[\x20-\x7e]*$/.test(value))
      throw new UserError(`${name} has a line break or another character that no header takes`, 2)
  const headers: Record<string, string> = { 'X-Secrets-Request': 'true' }
  if (token !== undefined && token !== '') headers['X-Secrets-Token'] = token
  if (namespace !== undefined && namespace !== '') headers['X-Secrets-Namespace'] = namespace

  return {
    call: async (method, path, { query = {}, body } = {}) => {
      const segments = path.split('/')
      // The platform would take them for steps up, and ask for something else.
      if (segments.some((segment) => segment === '.' || segment === '..'))
        throw new UserError(`the path ${path} has a part that is . or .., which no address can say`, 2)
      const encoded = segments.map(encodeURIComponent).join('/')
      const parameters = new URLSearchParams(query).toString()
      let response: Response
      try {
        response = await fetch(`${address}/v1/${encoded}${parameters === '' ? '' : `?${parameters}`}`, {
          method,
          headers,
          redirect: 'manual',
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
      } catch (error) {
        throw new UserError(`cannot reach ${address}: ${whyUnreachable(error)}`)
      }
      const { status, headers: answered } = response
      return { status, body: parse(await response.text()), location: answered.get('location') }
    },
  }
}

/** Why a request came to nothing, with what the person can do about it where that is known. */
function whyUnreachable(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const [firstLine = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
  const hint = hints[code]
  return hint === undefined ? firstLine : `${hint} (${code})`
}

const isSelfSigned = 'its certificate has a signer that is not known here: name it in NODE_EXTRA_CA_CERTS'

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  UND_ERR_SOCKET: 'the other side hung up; does the address begin with https://?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS is spoken there; does the address begin with http://?',
  DEPTH_ZERO_SELF_SIGNED_CERT: isSelfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: isSelfSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: isSelfSigned,
}

function parse(text: string): Answer['body'] {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** The body of a call that must succeed; otherwise a mistake with the service's own texts. */
export function succeeded(
  { status, body, location }: Answer,
  what: string,
): Readonly<Record<string, unknown>> {
  if (status >= 300 && status < 400)
    throw new UserError(
      `${what}: the service is at another address, ${location ?? 'which it does not name'} (${status})`,
    )
  if (status < 300) {
    if (body !== undefined) return body
    throw new UserError(
      `${what}: the answer is no JSON object; is this the address of a secrets service? (${status})`,
    )
  }
  // A versioned path without its `data/` is answered with no error but a warning that explains it.
  const said = [body?.['errors'], body?.['warnings']].find(
    (texts): texts is unknown[] => Array.isArray(texts) && texts.length > 0,
  )
  const reason = said?.map(String).join('; ') ?? reasons[status] ?? 'the service refused'
  throw new UserError(`${what}: ${reason} (${status})`)
}

const reasons: Readonly<Record<number, string>> = {
  403: 'permission denied; is SECRETS_TOKEN set?',
  404: 'nothing is there',
  412: 'precondition failed',
  503: 'the service is sealed or shutting down',
}
