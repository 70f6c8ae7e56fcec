import { type IdentityProvider, identityProvider, type ProviderHost } from '../oidc/index.ts'
import type { SignInOptions } from './sign-in-options.ts'

/** The provider at which people log in. */
export interface SignIn {
  readonly provider: IdentityProvider
  readonly host: ProviderHost
  readonly options: SignInOptions
}

/** Creates the client of the provider. */
export const signInAt = (options: SignInOptions, host: ProviderHost): SignIn => ({
  options,
  host,
  provider: identityProvider({ issuer: options.issuer }, host),
})
