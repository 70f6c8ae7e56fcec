import type { CryptoPort } from '../crypto/index.ts'
import type { Answer, Env } from '../kernel/index.ts'
import { isObject } from '../kernel/objects.ts'
import { fetchJson, originOf, type Reach, unavailable } from './fetch-json.ts'
import { keptDocument } from './kept-document.ts'
import {
  algorithmProblem,
  hasKeysFor,
  isSignedBy,
  readKeySet,
  readPem,
  type VerifyingKey,
} from './key-set.ts'
import { type Claims, readToken, tokenRefused } from './read-token.ts'

/** Where the keys of a provider are. */
export type KeySource =
  /** The issuer: its discovery document names the address of its keys. */
  | { readonly issuer: string }
  /** The address of a JSON Web Key Set. */
  | { readonly jwksUrl: string }
  /** Public keys in PEM. */
  | { readonly publicKeys: readonly string[] }

/** The part of a discovery document that is used. */
export interface Discovery {
  /** The issuer as its tokens name it. */
  readonly issuer: string
  readonly jwksUrl: string
  /** Where a browser signs in; `undefined` if the provider only issues tokens to machines. */
  readonly authorizationUrl: string | undefined
  readonly tokenUrl: string | undefined
  readonly userInfoUrl: string | undefined
  /** The scopes that the provider says it knows. */
  readonly scopes: readonly string[]
  /** Whether the client's secret is sent in the body of a token request, because the provider takes no other form. */
  readonly secretInBody: boolean
}

/** Why a provider's token is not accepted, or cannot be checked. */
export type VerifyRefusal = 'token_refused' | 'provider_unavailable'

/** What a provider needs of its host. */
export interface ProviderHost extends Reach {
  readonly crypto: Pick<CryptoPort, 'readPublicKey' | 'verify'>
  readonly env: () => Pick<Env, 'now'>
}

/** A provider of identities: it issues tokens, and its keys verify them. */
export interface IdentityProvider {
  /** The discovery document of an issuer; refused if the keys were configured without one. */
  readonly discovery: () => Promise<Answer<Discovery, 'provider_unavailable'>>
  /** The present keys. */
  readonly keys: () => Promise<Answer<readonly VerifyingKey[], 'provider_unavailable'>>
  /**
   * The claims of a token that the provider signed with one of the accepted algorithms. Whether they are those of the
   * caller, and still valid, is another question.
   */
  readonly verify: (token: string, algorithms: readonly string[]) => Promise<Answer<Claims, VerifyRefusal>>
}

/**
 * Creates a client of a provider. Keys and discovery are fetched when they are needed, and kept; a token of an unknown
 * key fetches the keys again, not more often than every ten seconds.
 */
export function identityProvider(source: KeySource, host: ProviderHost): IdentityProvider {
  const { crypto, env } = host
  const discovered = keptDocument(
    async () =>
      'issuer' in source ? discover(source.issuer, host) : unavailable('there is no discovery address'),
    env,
  )
  const jwksAddress = async (): Promise<Answer<string, 'provider_unavailable'>> => {
    if ('jwksUrl' in source) return { ok: true, value: source.jwksUrl }
    const found = await discovered.current()
    return found.ok ? { ok: true, value: found.value.jwksUrl } : found
  }
  const own =
    'publicKeys' in source ? source.publicKeys.flatMap((pem) => readPem(pem, crypto) ?? []) : undefined
  const fetched = keptDocument(async () => {
    const address = await jwksAddress()
    return address.ok ? loadKeys(address.value, host) : address
  }, env)
  const keys = async (): ReturnType<IdentityProvider['keys']> =>
    own === undefined ? fetched.current() : { ok: true, value: own }
  return {
    discovery: discovered.current,
    keys,
    verify: async (text, algorithms) => {
      const token = readToken(text)
      if ('ok' in token) return token
      const strange = algorithmProblem(token, algorithms)
      if (strange !== undefined) return strange
      let known = await keys()
      if (known.ok && own === undefined && !hasKeysFor(token, known.value)) known = await fetched.renewed()
      if (!known.ok) return known
      return isSignedBy(token, known.value, crypto)
        ? { ok: true, value: token.claims }
        : tokenRefused('failed to verify the signature: no known key signed this token')
    },
  }
}

async function loadKeys(
  address: string,
  host: ProviderHost,
): Promise<Answer<readonly VerifyingKey[], 'provider_unavailable'>> {
  const answer = await fetchJson(host, address)
  if (!answer.ok) return answer
  if (answer.value.status !== 200)
    return unavailable(`${originOf(address)} answered with status ${answer.value.status}`)
  const keys = readKeySet(answer.value.json, host.crypto)
  return keys === undefined
    ? unavailable(`the answer of ${originOf(address)} is not a JSON Web Key Set`)
    : { ok: true, value: keys }
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const wellKnown = '/.well-known/openid-configuration'

/** An issuer without slashes at its end, which do not distinguish it. */
export const withoutSlash = (address: string): string => address.replace(/\/+$/, '')

/** Fetches the discovery document of an issuer, which must say that it is of this issuer. */
async function discover(issuer: string, reach: Reach): Promise<Answer<Discovery, 'provider_unavailable'>> {
  const base = withoutSlash(issuer)
  const answer = await fetchJson(reach, `${base}${wellKnown}`)
  if (!answer.ok) return answer
  const { status, json } = answer.value
  const at = originOf(issuer)
  if (status !== 200) return unavailable(`${at} answered with status ${status} for its discovery document`)
  const document = isObject(json) ? json : {}
  const named = document['issuer']
  if (typeof named !== 'string' || withoutSlash(named) !== base)
    return unavailable(
      `the discovery document of ${at} is of the issuer ${JSON.stringify(named)?.slice(0, 200)}`,
    )
  // An address without TLS is as trusted as the issuer's own, not less.
  const url = (name: string): string | undefined => {
    const given = document[name]
    if (typeof given !== 'string' || !URL.canParse(given)) return undefined
    const { protocol } = new URL(given)
    return protocol === 'https:' || protocol === new URL(issuer).protocol ? given : undefined
  }
  const jwksUrl = url('jwks_uri')
  if (jwksUrl === undefined) return unavailable(`the discovery document of ${at} names no valid jwks_uri`)
  const forms = document['token_endpoint_auth_methods_supported']
  return {
    ok: true,
    value: {
      issuer: named,
      jwksUrl,
      authorizationUrl: url('authorization_endpoint'),
      tokenUrl: url('token_endpoint'),
      userInfoUrl: url('userinfo_endpoint'),
      scopes: textsOf(document['scopes_supported']),
      secretInBody:
        Array.isArray(forms) &&
        !forms.includes('client_secret_basic') &&
        forms.includes('client_secret_post'),
    },
  }
}
