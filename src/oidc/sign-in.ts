import { type CryptoPort, toBase64, toHex } from '../crypto/index.ts'
import { type Answer, type Env, refuse } from '../kernel/index.ts'
import { isObject } from '../kernel/objects.ts'
import { audiencesOf, claimsProblem } from './check-claims.ts'
import { fetchJson, originOf, unavailable } from './fetch-json.ts'
import type { IdentityProvider, ProviderHost, VerifyRefusal } from './identity-provider.ts'
import { type Claims, fromBase64Url, toBase64Url, tokenRefused } from './read-token.ts'

/** How long a person may take to sign in, in milliseconds. */
export const signInMs = 600_000

/** The longest state that is read. */
const longestState = 8192

/** A sign-in that a browser is in the middle of. */
export interface SignIn<About> {
  /** Unique: of two answers to one sign-in, the caller accepts one. */
  readonly id: string
  /** When it ends, in milliseconds since 1970. */
  readonly expiresAt: number
  /** What the caller stored with it. */
  readonly about: About
}

type SignInCrypto = Pick<CryptoPort, 'randomBytes' | 'seal' | 'open' | 'hmac' | 'sha256'>

/**
 * The sign-ins of one service. A sign-in is kept nowhere: its state, which the browser brings back, holds it encrypted.
 * Callers without an account can start any number of them, and any server with the same key continues them.
 */
export interface SignIns<About> {
  /** Starts a sign-in; returns its state, and what the provider has to be asked with it. */
  readonly start: (about: About) => {
    readonly state: string
    readonly nonce: string
    readonly challenge: string
  }
  /** The sign-in of a state; `undefined` if it has ended, or was not started here. */
  readonly read: (state: string) => SignIn<About> | undefined
  /** The nonce that the provider's token must repeat. */
  readonly nonceOf: (id: string) => string
  /** The verifier of PKCE (RFC 7636), which proves to the provider that the sign-in was started here. */
  readonly verifierOf: (id: string) => string
}

const utf8 = new TextEncoder()
const bound = utf8.encode('oidc/state')

/** The challenge of a verifier (PKCE, method S256). */
export const challengeOf = ({ sha256 }: Pick<CryptoPort, 'sha256'>, verifier: string): string =>
  toBase64Url(sha256(verifier))

/**
 * Creates the sign-ins of a service.
 *
 * @param key - 32 secret bytes, the same on every server
 * @param readAbout - checks what was stored with a sign-in: an older version of the program may have stored it
 * @param lifetimeMs - how long a sign-in can be finished; ten minutes by default
 */
export function signIns<About>(
  crypto: SignInCrypto,
  env: () => Pick<Env, 'now'>,
  key: () => Uint8Array,
  readAbout: (value: unknown) => About | undefined,
  lifetimeMs = signInMs,
): SignIns<About> {
  const derived = (purpose: string, id: string) =>
    toBase64Url(crypto.hmac('sha256', key(), `${purpose}\n${id}`))
  const nonceOf = (id: string) => derived('nonce', id)
  const verifierOf = (id: string) => derived('verifier', id)
  return {
    nonceOf,
    verifierOf,
    start: (about) => {
      const id = toHex(crypto.randomBytes(16))
      const content = JSON.stringify({ id, expiresAt: env().now + lifetimeMs, about })
      return {
        state: toBase64Url(crypto.seal(key(), utf8.encode(content), bound)),
        nonce: nonceOf(id),
        challenge: challengeOf(crypto, verifierOf(id)),
      }
    },
    read: (state) => {
      const sealed = state.length <= longestState ? fromBase64Url(state) : undefined
      const plain = sealed && crypto.open(key(), sealed, bound)
      if (plain === undefined) return undefined
      // It was encrypted here.
      const { id, expiresAt, about } = JSON.parse(new TextDecoder().decode(plain)) as SignIn<unknown>
      const read = readAbout(about)
      return read === undefined || env().now >= expiresAt ? undefined : { id, expiresAt, about: read }
    },
  }
}

/** The client of a provider: how it knows the caller. */
export interface OidcClient {
  readonly clientId: string
  readonly clientSecret: string
}

/** What a provider is asked for. */
export interface AuthorizationRequest {
  readonly clientId: string
  readonly redirectUri: string
  /** Beside `openid`, which is always asked for. */
  readonly scopes: readonly string[]
  readonly state: string
  readonly nonce: string
  readonly challenge: string
  /** How long ago, in seconds, the person may have signed in at the provider. */
  readonly maxAgeSeconds?: number | undefined
}

/** The address at which a browser signs in. */
export function authorizationAddress(endpoint: string, request: AuthorizationRequest): string {
  const url = new URL(endpoint)
  const parameters = {
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    scope: [...new Set(['openid', ...request.scopes])].join(' '),
    state: request.state,
    nonce: request.nonce,
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
    ...(request.maxAgeSeconds === undefined ? {} : { max_age: String(request.maxAgeSeconds) }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** The code that a browser brought back, and what its token must say. */
export interface CodeExchange extends OidcClient {
  readonly code: string
  readonly redirectUri: string
  readonly verifier: string
  readonly nonce: string
  readonly algorithms: readonly string[]
  readonly maxAgeSeconds?: number | undefined
}

/** Why a code gave no identity. */
export type ExchangeRefusal = VerifyRefusal | 'code_refused'

/**
 * Exchanges a code for the claims of the person who signed in: those of the ID token, and of the provider's user
 * information if it has an address for it.
 */
export async function exchangeCode(
  provider: IdentityProvider,
  exchange: CodeExchange,
  host: ProviderHost,
): Promise<Answer<Claims, ExchangeRefusal>> {
  const found = await provider.discovery()
  if (!found.ok) return found
  const { issuer, tokenUrl, userInfoUrl, secretInBody } = found.value
  if (tokenUrl === undefined) return unavailable(`${originOf(issuer)} has no token endpoint`)
  const answer = await fetchJson(host, tokenUrl, tokenRequest(exchange, secretInBody))
  if (!answer.ok) return answer
  const body = isObject(answer.value.json) ? answer.value.json : {}
  const { id_token: idToken, access_token: accessToken } = body
  if (answer.value.status !== 200)
    return refuse('code_refused', `the provider refused the code: ${reasonIn(body)}`)
  if (typeof idToken !== 'string') return tokenRefused('the provider sent no ID token')
  const verified = await provider.verify(idToken, exchange.algorithms)
  if (!verified.ok) return verified
  const claims = verified.value
  const now = host.env().now
  const problem =
    claimsProblem(claims, { issuer, audiences: [exchange.clientId] }, now) ??
    idTokenProblem(claims, exchange, now)
  if (problem !== undefined) return problem
  if (userInfoUrl === undefined || typeof accessToken !== 'string') return { ok: true, value: claims }
  return { ok: true, value: await withUserInfo(claims, userInfoUrl, accessToken, host) }
}

function tokenRequest(exchange: CodeExchange, secretInBody: boolean): RequestInit {
  const { clientId, clientSecret, code, redirectUri, verifier } = exchange
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    client_id: clientId,
    ...(secretInBody ? { client_secret: clientSecret } : {}),
  })
  // RFC 6749 §2.3.1: both are form-encoded before they are joined.
  const encoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  const basic = toBase64(utf8.encode(`${encoded(clientId)}:${encoded(clientSecret)}`))
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(secretInBody ? {} : { authorization: `Basic ${basic}` }),
    },
    body: form.toString(),
  }
}

/** The error of an answer, if it is one of OAuth's; anything else of a provider's answer is not repeated. */
function reasonIn({ error }: Record<string, unknown>): string {
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : 'no reason given'
}

function idTokenProblem(claims: Claims, { nonce, clientId, maxAgeSeconds }: CodeExchange, now: number) {
  if (claims['nonce'] !== nonce) return tokenRefused('invalid nonce: the ID token is of another sign-in')
  const { azp, exp, auth_time: signedInAt } = claims
  if (exp === undefined) return tokenRefused('the ID token has no expiration time (exp) claim')
  if (audiencesOf(claims).length > 1 && azp !== undefined && azp !== clientId)
    return tokenRefused('invalid authorized party (azp) claim: the ID token is of another client')
  if (maxAgeSeconds === undefined) return undefined
  return typeof signedInAt === 'number' && now / 1000 <= signedInAt + maxAgeSeconds + 60
    ? undefined
    : tokenRefused('the person signed in at the provider too long ago')
}

/** Adds what the provider says about the person; without an answer the ID token is all that is known. */
async function withUserInfo(
  claims: Claims,
  address: string,
  accessToken: string,
  host: ProviderHost,
): Promise<Claims> {
  const answer = await fetchJson(host, address, { headers: { authorization: `Bearer ${accessToken}` } })
  const more =
    answer.ok && answer.value.status === 200 && isObject(answer.value.json) ? answer.value.json : {}
  // It must be of the same person, and the claims that were signed have precedence.
  return typeof more['sub'] === 'string' && more['sub'] === claims['sub'] ? { ...more, ...claims } : claims
}
