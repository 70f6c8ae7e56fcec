import { type Answer, refuse } from '../kernel/index.ts'
import { algorithmNames } from './algorithms.ts'
import { claimsProblem } from './check-claims.ts'
import {
  type IdentityProvider,
  identityProvider,
  type ProviderHost,
  withoutSlash,
} from './identity-provider.ts'
import { boundClaimsProblem } from './match-claims.ts'
import { type Claims, readToken, tokenRefused } from './read-token.ts'

/**
 * A rule by which the tokens of an identity provider, such as those of CI jobs, may publish without an account.
 */
export interface TrustRule {
  /** Names the rule in messages. */
  readonly name: string
  /** The issuer of the tokens: `https://token.actions.githubusercontent.com`, `https://gitlab.com`. */
  readonly issuer: string
  /**
   * The claims that a token must have, each with a value or several; `*` stands for any text. They must bind `aud`, so
   * that tokens for other services are not accepted, and at least one claim that says whose they are.
   */
  readonly claims: Readonly<Record<string, string | readonly string[]>>
  /** The namespaces, or accounts, into which the tokens may publish. */
  readonly namespaces: readonly string[]
}

/** Whom a trusted token stands for. */
export interface Trusted {
  /** Its subject: `repo:acme/vpc:ref:refs/heads/main`. */
  readonly subject: string
  /** The namespaces of all rules that it satisfies. */
  readonly namespaces: readonly string[]
}

/** Why a token is not trusted. */
export type TrustRefusal = 'token_refused' | 'provider_unavailable'

/** The rules of a service. */
export interface TrustRules {
  /** Judges a token; `undefined` for a text that is not a JSON Web Token. */
  readonly judge: (token: string) => Promise<Answer<Trusted, TrustRefusal>> | undefined
}

/** Whether an issuer has an address that can be trusted: with TLS, or on this host. */
export function isWebAddress(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** Whether a host name is this host. */
export const isLoopback = (hostname: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

/**
 * What is wrong with a rule, or `undefined`.
 *
 * @param isValid - whether a namespace can exist
 */
export function trustRuleProblem(
  { issuer, claims, namespaces }: TrustRule,
  isValid: (namespace: string) => boolean,
  kind: 'namespace' | 'account name' = 'namespace',
): string | undefined {
  if (!isWebAddress(issuer)) return 'issuer: expected an https URL, such as https://gitlab.com'
  if (namespaces.length === 0) return 'namespaces: name at least one'
  for (const [name, value] of Object.entries(claims))
    if ([value].flat().length === 0) return `claims.${name}: name at least one value`
  const binds = (name: string) => [claims[name] ?? '*'].flat().every((value) => !/^\**$/.test(value))
  if (!Object.hasOwn(claims, 'aud') || !binds('aud'))
    return 'claims.aud: name the audience of the tokens, so that tokens for other services are not accepted'
  const others = Object.keys(claims).filter((name) => name !== 'aud' && name !== 'iss')
  if (!others.some(binds))
    return 'claims: bind a claim that says whose the tokens are, such as repository or project_path'
  const wrong = namespaces.find((namespace) => !isValid(namespace))
  return wrong === undefined ? undefined : `namespaces: ${JSON.stringify(wrong)} is not a valid ${kind}`
}

/**
 * Refuses rules that would trust every token or none.
 *
 * @throws TypeError with the field and the problem
 */
export function checkTrust(
  rules: readonly TrustRule[],
  isValid: (namespace: string) => boolean,
  kind?: 'account name',
): void {
  for (const [at, rule] of rules.entries()) {
    const problem = trustRuleProblem(rule, isValid, kind)
    if (problem !== undefined) throw new TypeError(`trust[${at}].${problem}`)
  }
}

/** Creates the judge of some rules, which have no problem. */
export function trustRules(rules: readonly TrustRule[], host: ProviderHost): TrustRules {
  const providers = new Map<string, IdentityProvider>()
  for (const { issuer } of rules)
    if (!providers.has(withoutSlash(issuer)))
      providers.set(withoutSlash(issuer), identityProvider({ issuer }, host))

  const judged = async (text: string): Promise<Answer<Trusted, TrustRefusal>> => {
    const token = readToken(text)
    if ('ok' in token) return token
    const { iss } = token.claims
    const issuer = typeof iss === 'string' ? withoutSlash(iss) : ''
    const provider = providers.get(issuer)
    if (provider === undefined)
      return tokenRefused(`no trust rule is for the issuer ${JSON.stringify(issuer.slice(0, 200))}`)
    const verified = await provider.verify(text, algorithmNames)
    if (!verified.ok) return verified
    const problem = claimsProblem(verified.value, {}, host.env().now)
    if (problem !== undefined) return problem
    return byRules(
      verified.value,
      rules.filter((rule) => withoutSlash(rule.issuer) === issuer),
    )
  }
  return {
    judge: (text) => (/^eyJ[^.]*\.[^.]*\./.test(text.slice(0, longestHead)) ? judged(text) : undefined),
  }
}

/** Where the second dot of a token is at the latest; a longer text is no token. */
const longestHead = 65_536

function byRules(claims: Claims, rules: readonly TrustRule[]): Answer<Trusted, 'token_refused'> {
  const problems: string[] = []
  const namespaces = new Set<string>()
  for (const rule of rules) {
    const bound = Object.fromEntries(
      Object.entries(rule.claims).map(([name, value]) => [name, [value].flat()]),
    )
    const problem = boundClaimsProblem(bound, claims, 'glob')
    if (problem !== undefined) problems.push(`${rule.name}: ${problem}`)
    else for (const namespace of rule.namespaces) namespaces.add(namespace)
  }
  const { sub } = claims
  const subject = typeof sub === 'string' && /^[\x20-\x7e]{1,256}$/.test(sub) ? sub : undefined
  if (namespaces.size === 0)
    return refuse('token_refused', `the token satisfies no trust rule (${problems.slice(0, 5).join('; ')})`)
  return subject === undefined
    ? tokenRefused('the token has no subject (sub) of printable ASCII characters')
    : { ok: true, value: { subject, namespaces: [...namespaces] } }
}
