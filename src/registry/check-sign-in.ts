import { isWebAddress, type TrustRule, trustRuleProblem } from '../oidc/index.ts'
import { isAddressPart } from './modules/names.ts'
import type { SignInOptions } from './sign-in-options.ts'

const noNamespace = (names: readonly string[]): string | undefined => {
  const wrong = names.find((name) => !isAddressPart('namespace', name))
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not a valid namespace`
}

/** What is wrong with an identity provider and its groups: the field and the problem, or `undefined`. */
export function signInProblem({ issuer, clientId, clientSecret, groups }: SignInOptions): string | undefined {
  if (!isWebAddress(issuer)) return 'issuer: expected an https URL, such as https://id.example.com'
  if (clientId === '') return 'clientId: expected the client of this registry at the provider'
  if (clientSecret === '') return 'clientSecret: expected the secret of the client'
  if (Object.keys(groups).length === 0) return 'groups: name at least one group'
  for (const [group, namespaces] of Object.entries(groups)) {
    const wrong = noNamespace(namespaces.filter((name) => name !== '*'))
    if (wrong !== undefined) return `groups.${group}: ${wrong}`
  }
  return undefined
}

/** Refuses an identity provider that cannot work. */
export function checkSignIn(oidc: SignInOptions): void {
  const problem = signInProblem(oidc)
  if (problem !== undefined) throw new TypeError(`oidc.${problem}`)
}

/** Refuses trust rules that would trust every token or none. */
export function checkTrust(rules: readonly TrustRule[] = []): void {
  for (const [at, rule] of rules.entries()) {
    const wrong = noNamespace(rule.namespaces)
    const problem = trustRuleProblem(rule) ?? (wrong && `namespaces: ${wrong}`)
    if (problem !== undefined) throw new TypeError(`trust[${at}].${problem}`)
  }
}
