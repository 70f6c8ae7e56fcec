import { parsedJson } from '../../kernel/decoded.ts'
import { isObject } from '../../kernel/objects.ts'
import { serverAddress } from '../server-address.ts'
import { UserError } from '../user-error.ts'
import type { SecretsFlags } from './flags.ts'
import { type Asked, type Method, sender } from './request.ts'

/** An answer of the secrets service. */
export interface Answer {
  readonly status: number
  /** Empty without a body; `undefined` if the body is not a JSON object, such as the page of another server. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** The target of a redirect. It is not followed: the token must not leave this server. */
  readonly location: string | null
}

/** A connection to one secrets service. */
export interface Connection {
  readonly call: (method: Method, path: string, more?: Asked) => Promise<Answer>
}

/**
 * Connects to the service named by `-address` or `SECRETS_ADDR`, with the token in `SECRETS_TOKEN`.
 *
 * @remarks
 * Every request has `X-Secrets-Request: true`, which a listener may require to keep browsers out.
 */
export function connect(options: Pick<SecretsFlags, 'address' | 'namespace'>, env = process.env): Connection {
  const send = sender(
    serverAddress(
      { '--address': options.address, SECRETS_ADDR: env['SECRETS_ADDR'], VAULT_ADDR: env['VAULT_ADDR'] },
      { port: 8200, api: /\/v1$/ },
    ),
    [
      {
        header: 'X-Secrets-Token',
        value: env['SECRETS_TOKEN'] ?? env['VAULT_TOKEN'],
        name: 'SECRETS_TOKEN',
      },
      {
        header: 'X-Secrets-Namespace',
        value: options.namespace ?? env['SECRETS_NAMESPACE'] ?? env['VAULT_NAMESPACE'],
        name: 'the namespace',
      },
    ],
    { 'X-Secrets-Request': 'true' },
  )
  return {
    call: async (method, path, more) => {
      const { status, text, location } = await send(method, path, more)
      return { status, body: parse(text), location }
    },
  }
}

function parse(text: string): Answer['body'] {
  if (text.trim() === '') return {}
  const value = parsedJson(text)
  return isObject(value) ? { ...value } : undefined
}

/** The body of a call that must succeed; otherwise throws a UserError with the service's own messages. */
export function succeeded(
  { status, body, location }: Answer,
  what: string,
): Readonly<Record<string, unknown>> {
  if (status >= 300 && status < 400)
    throw new UserError(`${what}: the service redirects to ${location ?? 'another address'} (${status})`)
  if (status < 300) {
    if (body !== undefined) return body
    throw new UserError(
      `${what}: the answer is not a JSON object; is this the address of a secrets service? (${status})`,
    )
  }
  // A versioned path without its `data/` is answered without an error but with a warning that explains it.
  const said = [body?.['errors'], body?.['warnings']].find(
    (texts): texts is unknown[] => Array.isArray(texts) && texts.length > 0,
  )
  const text = said?.map(String).join('; ')
  // The service gives the same answer for an expired token and for one without permission.
  const reason = (text === 'permission denied' ? undefined : text) ?? reasons[status] ?? 'the service refused'
  throw new UserError(`${what}: ${reason} (${status})`)
}

const reasons: Readonly<Record<number, string>> = {
  403: 'permission denied; is SECRETS_TOKEN set, and still valid?',
  404: 'nothing is there',
  412: 'precondition failed',
  503: 'the service is sealed or shutting down',
}
