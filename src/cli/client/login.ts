import { systemEnv } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import { UserError } from '../user-error.ts'
import { askSecret } from './ask-secret.ts'
import { browserLogin } from './browser-login.ts'
import { type Connection, connect, succeeded } from './connection.ts'
import type { SecretsFlags } from './flags.ts'
import { contentOf, pairsOf } from './pairs.ts'
import { plainPath } from './paths.ts'
import { printData, printRows, tokenRows } from './print.ts'

interface LoginFlags extends SecretsFlags {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly 'token-only': boolean
}

/** The parameters of each login method; any other method name is that of an identity-provider method. */
const parametersOf: Readonly<Record<string, readonly string[]>> = {
  userpass: ['username', 'password'],
  approle: ['role_id', 'secret_id'],
  jwt: ['role', 'jwt'],
  oidc: ['role', 'port', 'skip_browser'],
}
const idpParameters = ['username', 'password', 'totp', 'provider']

/**
 * `plinth login`: signs in with a user name and a password, a role ID and a secret ID, a token of an identity provider, or
 * through the identity provider.
 *
 * @remarks
 * A password, secret ID or token that is missing is prompted for. With an identity provider the command generates the nonce
 * itself and shows the number to press while the login waits.
 */
export async function loginCommand(options: LoginFlags, words: readonly string[]): Promise<void> {
  const method = options.method ?? 'idp'
  const given = pairsOf(words)
  const known = ownValue(parametersOf, method) ?? idpParameters
  const stranger = Object.keys(given).find((name) => !known.includes(name))
  if (stranger !== undefined)
    throw new UserError(`unknown login parameter "${stranger}"; known are ${known.join(', ')}`, 2)
  const mount = `auth/${plainPath(options.path ?? method)}`
  const connection = connect(options)
  const login = (path: string, body: Readonly<Record<string, unknown>>) =>
    connection.call('PUT', `${mount}/${path}`, { body })
  // The configuration of these methods can have a default role.
  const role = given['role'] === undefined ? {} : { role: given['role'] }
  if (method === 'jwt') {
    const jwt = await secretOf(given['jwt'], 'Token')
    return report(options, succeeded(await login('login', { ...role, jwt }), 'signing in'))
  }
  if (method === 'oidc') {
    const { port, skip_browser } = given
    const skipBrowser = skip_browser !== undefined && skip_browser !== 'false'
    return report(options, await browserLogin(connection, { ...role, mount, port, skipBrowser }))
  }
  const needed = known[0] ?? ''
  const name = given[needed]
  if (name === undefined || name === '')
    throw new UserError(
      `${needed} is missing: plinth login ${method === 'idp' ? '' : `-method=${method} `}${needed}=NAME`,
      2,
    )
  if (method === 'approle') {
    const secretId = await secretOf(given['secret_id'], `Secret ID for ${name}`)
    const answer = await login('login', {
      role_id: name,
      ...(secretId === '' ? {} : { secret_id: secretId }),
    })
    return report(options, succeeded(answer, `signing in as ${name}`))
  }
  const password = await secretOf(given['password'], `Password for ${name}`)
  if (method === 'userpass')
    return report(options, succeeded(await login(`login/${name}`, { password }), `signing in as ${name}`))

  const nonce = systemEnv().newId('nonce')
  const waiting = new AbortController()
  const challenge = showChallenge(connection, `${mount}/verify/${nonce}`, waiting.signal)
  const { totp, provider } = given
  const factor = { ...(totp === undefined ? {} : { totp }), ...(provider === undefined ? {} : { provider }) }
  const answer = await login(`login/${name}`, { password, nonce, ...factor }).finally(() => waiting.abort())
  await challenge
  report(options, succeeded(answer, `signing in as ${name}`))
}

/** Asks for the number every second until it is known or the login has ended. */
async function showChallenge(connection: Connection, path: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const asked = await connection.call('GET', path).catch(() => undefined)
    const data = asked?.body?.['data']
    if (asked?.status === 200 && typeof data === 'object' && data !== null && 'correct_answer' in data) {
      if (!signal.aborted)
        process.stderr.write(`In your authenticator app, press ${String(data.correct_answer)}.\n`)
      return
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1000)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
}

function report(options: LoginFlags, body: Readonly<Record<string, unknown>>): void {
  const auth = body['auth']
  if (typeof auth !== 'object' || auth === null || !('client_token' in auth))
    throw new UserError('the service answered without a token')
  if (printData(options.format, body)) return
  if (options['token-only']) return void process.stdout.write(`${String(auth.client_token)}\n`)
  printRows(tokenRows(auth))
  process.stderr.write('\nSet SECRETS_TOKEN to this token for the next commands.\n')
}

/** A secret of a pair, which may be in a file (`@FILE`) or on standard input (`-`); a missing one is prompted for. */
const secretOf = async (given: string | undefined, what: string): Promise<string> =>
  given === undefined ? askSecret(what) : (await contentOf(given)).replace(/\r?\n$/, '')
