import { systemEnv } from '../../kernel/index.ts'
import { retrying } from '../retry.ts'
import { send } from '../send.ts'
import { UserError } from '../user-error.ts'
import { objectOf, type TokenSource, textOf } from './catalog-client.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The token for the other catalog: that of a named environment variable, or one of the HCP service principal that
 * `HCP_CLIENT_ID` and `HCP_CLIENT_SECRET` name; `undefined` without either.
 */
export function sourceToken(
  name: string | undefined,
  env: Environment = process.env,
): TokenSource | undefined {
  if (name !== undefined) {
    const token = env[name]?.trim() ?? ''
    if (token !== '') return async () => token
    throw new UserError(
      `${name} is not set: --source-token-env takes the name of an environment variable with a token`,
    )
  }
  const [id, secret] = [env['HCP_CLIENT_ID']?.trim() ?? '', env['HCP_CLIENT_SECRET']?.trim() ?? '']
  if (id === '' && secret === '') return undefined
  if (id === '' || secret === '')
    throw new UserError(
      `${id === '' ? 'HCP_CLIENT_ID' : 'HCP_CLIENT_SECRET'} is not set: set both, or neither`,
    )
  return principalToken(id, secret, tokenAddress(env['HCP_AUTH_URL'] || undefined))
}

/** `HCP_AUTH_URL` is the address of tokens, or the host that has them at the usual path. */
function tokenAddress(given = 'https://auth.idp.hashicorp.com'): string {
  if (!/^https?:/.test(given) || !URL.canParse(given))
    throw new UserError(`HCP_AUTH_URL: "${given}" is not a valid URL: write it as https://HOST/PATH`)
  const url = new URL(given)
  if (url.pathname === '/') url.pathname = '/oauth2/token'
  return url.href
}

/** Requests tokens with client credentials, and the next one before the last one ends. */
function principalToken(id: string, secret: string, url: string): TokenSource {
  let last: { readonly token: Promise<string>; readonly renewAt: () => number } | undefined
  return () => {
    if (last && systemEnv().now < last.renewAt()) return last.token
    let renewAt = Number.POSITIVE_INFINITY
    const token = requestToken({ id, secret, url }).then(
      (granted) => {
        renewAt = granted.renewAt
        return granted.token
      },
      (error: unknown) => {
        last = undefined
        throw error
      },
    )
    last = { token, renewAt: () => renewAt }
    return token
  }
}

async function requestToken({
  id,
  secret,
  url,
}: {
  readonly id: string
  readonly secret: string
  readonly url: string
}) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
    audience: 'https://api.hashicorp.cloud',
  }).toString()
  const { now } = systemEnv()
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' }
  const { status, text, why } = await retrying(() => send({ method: 'POST', url, headers, text: form }))
  const answer = objectOf(text) ?? {}
  const token = textOf(answer, 'access_token')
  if (status !== 200 || token === undefined)
    throw new UserError(
      `no access token from ${url}: ${why ?? textOf(answer, 'error_description') ?? textOf(answer, 'error') ?? `status ${status}`}; are HCP_CLIENT_ID and HCP_CLIENT_SECRET those of a service principal?`,
    )
  const seconds = Number(answer['expires_in'])
  const lifeMs = (Number.isFinite(seconds) && seconds > 0 ? seconds : 300) * 1000
  // Early enough for a request that is on its way when the token ends.
  return { token, renewAt: now + lifeMs - Math.min(60_000, lifeMs / 4) }
}
