import { isWebAddress } from '../oidc/index.ts'
import { isAddressPart } from './modules/names.ts'
import type { SignInOptions } from './sign-in-options.ts'

/** What is wrong with an identity provider and its groups: the field and the problem, or `undefined`. */
export function signInProblem({ issuer, clientId, clientSecret, groups }: SignInOptions): string | undefined {
  if (!isWebAddress(issuer)) return 'issuer: expected an https URL, such as https://id.example.com'
  if (clientId === '') return 'clientId: expected the client of this registry at the provider'
  if (clientSecret === '') return 'clientSecret: expected the secret of the client'
  if (Object.keys(groups).length === 0) return 'groups: name at least one group'
  for (const [group, namespaces] of Object.entries(groups)) {
    const wrong = namespaces.find((name) => name !== '*' && !isAddressPart('namespace', name))
    if (wrong !== undefined) return `groups.${group}: ${JSON.stringify(wrong)} is not a valid namespace`
  }
  return undefined
}

/** Refuses an identity provider that cannot work. */
export function checkSignIn(oidc: SignInOptions): void {
  const problem = signInProblem(oidc)
  if (problem !== undefined) throw new TypeError(`oidc.${problem}`)
}
