import { equalTexts } from '../../crypto/index.ts'
import { refuse } from '../../kernel/index.ts'
import { isObject } from '../../kernel/objects.ts'
import {
  algorithmNames,
  answerOnce,
  authorizationAddress,
  type Claims,
  challengeOf,
  claimValues,
  exchangeCode,
  forgetAnswered,
  isLoopback,
  signIns,
} from '../../oidc/index.ts'
import { routeOperation } from '../../operation/operation.ts'
import type { SignInOptions } from '../sign-in-options.ts'
import { signingKey } from '../signing-key.ts'
import type { RegistryParts } from './parts.ts'
import { makeToken } from './tokens.ts'

/** The client id of command lines, and the ports on which they wait for the browser. */
export const loginClient = { id: 'plinth', ports: [10_000, 10_010] as [number, number] }

const dayMs = 86_400_000
/** How long a command line may take to exchange its code. */
const codeMs = 60_000

/** What a command line asks for; all texts as they arrive. */
export interface AuthorizationQuery {
  readonly response_type?: string | undefined
  readonly client_id?: string | undefined
  readonly redirect_uri?: string | undefined
  readonly state?: string | undefined
  readonly code_challenge?: string | undefined
  readonly code_challenge_method?: string | undefined
}

/** A command line, or the page of a console, that waits for its user. */
interface Waiting {
  readonly redirectUri: string
  readonly state: string
  readonly challenge: string
}

/** What a person may do. */
interface Grant {
  readonly name: string
  /** The namespaces into which the person publishes; null for all. */
  readonly namespaces: readonly string[] | null
}

const notConfigured = refuse(
  'sign_in_not_configured',
  'this registry has no login: ask its administrator for a token',
)
const invalid = (message: string) => refuse('invalid_sign_in', message)
const ended = invalid('the login has ended, or was answered before: start it again')

/** What is wrong with the request of a command line or a console, or what it is. */
function readAuthorization(query: AuthorizationQuery, console: string | undefined) {
  const { redirect_uri: redirectUri = '', state = '', code_challenge: challenge = '' } = query
  if (query.response_type !== 'code') return invalid('response_type must be code')
  if (query.client_id !== loginClient.id) return invalid(`client_id must be ${loginClient.id}`)
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined
  const isHere = url?.protocol === 'http:' && isLoopback(url.hostname)
  if (!isHere && (console === undefined || redirectUri !== console))
    return invalid(
      `redirect_uri must be an http address of this host, such as http://localhost:10000/login${console === undefined ? '' : `, or ${console}`}`,
    )
  if (query.code_challenge_method !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(challenge))
    return invalid('code_challenge and code_challenge_method=S256 are required (PKCE)')
  if (state.length > 1_000 || redirectUri.length > 1_000) return invalid('state or redirect_uri is too long')
  return { ok: true as const, waiting: { redirectUri, state, challenge } }
}

const textsIn = (value: unknown, names: readonly string[]): Record<string, string> | undefined => {
  if (!isObject(value)) return undefined
  const entries = names.map((name) => [name, value[name]] as const)
  return entries.every(([, text]) => typeof text === 'string')
    ? (Object.fromEntries(entries) as Record<string, string>)
    : undefined
}

function readWaiting(value: unknown): Waiting | undefined {
  const { redirectUri, state, challenge } = textsIn(value, ['redirectUri', 'state', 'challenge']) ?? {}
  return redirectUri === undefined || state === undefined || challenge === undefined
    ? undefined
    : { redirectUri, state, challenge }
}

function readGranted(value: unknown): (Waiting & Grant) | undefined {
  const waiting = readWaiting(value)
  if (waiting === undefined || !isObject(value)) return undefined
  const { name, namespaces } = value
  const isList = Array.isArray(namespaces) && namespaces.every((one) => typeof one === 'string')
  return typeof name === 'string' && (namespaces === null || isList)
    ? { ...waiting, name, namespaces }
    : undefined
}

/** The sign-ins at the provider, and the codes for command lines, both kept nowhere. */
async function flowsOf(parts: RegistryParts) {
  const { crypto, env } = parts
  const key = await signingKey(parts, 'sign-ins')
  const keyOf = (purpose: string) => crypto.hmac('sha256', key, purpose)
  const [forBrowsers, forCodes] = [keyOf('browser'), keyOf('code')]
  return {
    browsers: signIns(crypto, env, () => forBrowsers, readWaiting),
    codes: signIns(crypto, env, () => forCodes, readGranted, codeMs),
  }
}

/** What the groups of a person allow; `undefined` if none of them may sign in. */
export function grantOf(claims: Claims, groups: SignInOptions['groups']): Grant | undefined {
  const own = claimValues(claims['groups'] ?? []) ?? []
  const allowed = own.flatMap((group) =>
    Object.hasOwn(groups, String(group)) ? [groups[String(group)] ?? []] : [],
  )
  if (allowed.length === 0) return undefined
  const namespaces = [...new Set(allowed.flat())]
  return { name: nameOf(claims), namespaces: namespaces.includes('*') ? null : namespaces }
}

/** The name of a person's token: the e-mail address, the user name or the subject, in the letters of token names. */
function nameOf({ email, preferred_username: username, sub }: Claims): string {
  const name = [email, username, sub].find((text): text is string => typeof text === 'string' && text !== '')
  return (name ?? 'unknown').replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 64)
}

/** The address of a command line, with what it waits for. */
function backTo({ redirectUri, state }: Waiting, answer: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...answer, state })) url.searchParams.set(name, value)
  return url.href
}

/** The steps of a login: the command line's request, the browser's return, the command line's code. */
export const signInOperations = {
  /** Sends the browser of a command line to the provider; returns the address. */
  authorize: routeOperation({
    refuses: ['sign_in_not_configured', 'invalid_sign_in', 'provider_unavailable'],
    run: async (parts: RegistryParts, query: AuthorizationQuery, callback: string) => {
      const { signIn } = parts
      if (signIn === undefined) return notConfigured
      const read = readAuthorization(query, signIn.console())
      if (!read.ok) return read
      const discovery = await signIn.provider.discovery()
      if (!discovery.ok) return discovery
      const { authorizationUrl, scopes } = discovery.value
      if (authorizationUrl === undefined)
        return refuse('provider_unavailable', 'the identity provider has no authorization endpoint')
      const { browsers } = await flowsOf(parts)
      const value = authorizationAddress(authorizationUrl, {
        ...browsers.start(read.waiting),
        clientId: signIn.options.clientId,
        redirectUri: callback,
        scopes: ['profile', 'email', 'groups'].filter((scope) => scopes.includes(scope)),
      })
      return { ok: true as const, value }
    },
  }),
  /** Takes the browser back from the provider; returns the address of the command line, with a code for it. */
  signedIn: routeOperation({
    refuses: ['sign_in_not_configured', 'invalid_sign_in', 'sign_in_forbidden', 'provider_unavailable'],
    run: async (
      parts: RegistryParts,
      { state = '', code = '' }: { readonly state?: string | undefined; readonly code?: string | undefined },
      callback: string,
    ) => {
      const { signIn } = parts
      if (signIn === undefined) return notConfigured
      const { browsers, codes } = await flowsOf(parts)
      const found = browsers.read(state)
      if (found === undefined) return ended
      const { about, id } = found
      if (code === '') return { ok: true as const, value: backTo(about, { error: 'access_denied' }) }
      const { provider, host, options } = signIn
      const exchanged = await exchangeCode(
        provider,
        {
          clientId: options.clientId,
          clientSecret: options.clientSecret,
          code,
          redirectUri: callback,
          verifier: browsers.verifierOf(id),
          nonce: browsers.nonceOf(id),
          algorithms: algorithmNames,
        },
        host,
      )
      if (!exchanged.ok)
        return exchanged.refusal.code === 'provider_unavailable'
          ? refuse('provider_unavailable', exchanged.refusal.message)
          : invalid(exchanged.refusal.message)
      const grant = grantOf(exchanged.value, options.groups)
      if (grant === undefined)
        return refuse(
          'sign_in_forbidden',
          'you are in no group that may use this registry: ask its administrator',
        )
      const first = await answered(parts, found)
      return first
        ? { ok: true as const, value: backTo(about, { code: codes.start({ ...about, ...grant }).state }) }
        : ended
    },
  }),
  /** Exchanges the code of a command line for a token. */
  exchange: routeOperation({
    refuses: ['sign_in_not_configured', 'invalid_sign_in', 'invalid_token'],
    run: async (
      parts: RegistryParts,
      given: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
    ) => {
      const { signIn } = parts
      if (signIn === undefined) return notConfigured
      const { codes } = await flowsOf(parts)
      const found = codes.read(given.code)
      if (found === undefined) return ended
      const { redirectUri, challenge, name, namespaces } = found.about
      if (redirectUri !== given.redirectUri) return invalid('redirect_uri is not the one of the login')
      if (!equalTexts(challengeOf(parts.crypto, given.verifier), challenge))
        return invalid('code_verifier does not match the code_challenge of the login')
      if (!(await answered(parts, found))) return ended
      const ttlMs = signIn.options.tokenTtlMs ?? dayMs
      const rights = namespaces === null ? {} : namespaces.length === 0 ? { readOnly: true } : { namespaces }
      const made = await makeToken(parts.actingAs(name), { name, ttlMs, ...rights }, true)
      return made.ok
        ? { ok: true as const, value: { token: made.value.token, expiresInSeconds: ttlMs / 1000 } }
        : made
    },
  }),
}

/** Records the answer of a sign-in or of a code; false if it was answered before. */
async function answered(
  { commit }: RegistryParts,
  signIn: { readonly expiresAt: number; readonly id: string },
): Promise<boolean> {
  const stored = await commit<boolean>((tx) => ({ ok: true, value: answerOnce(tx, signIn), events: [] }))
  return stored.ok && stored.value
}

/** Forgets the answered sign-ins that have ended; returns their number. */
export async function sweepAnswered({ commit, env }: RegistryParts): Promise<number> {
  for (let count = 0; ; ) {
    const { now } = env()
    const forgotten = await commit<number>((tx) => ({ ok: true, value: forgetAnswered(tx, now), events: [] }))
    if (!forgotten.ok || forgotten.value === 0) return count
    count += forgotten.value
  }
}
