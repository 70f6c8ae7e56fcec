import type { ConsoleUrl } from '../http/index.ts'
import { type IdentityProvider, identityProvider, type ProviderHost } from '../oidc/index.ts'
import type { SignInOptions } from './sign-in-options.ts'

/** The provider at which people sign in. */
export interface SignIn {
  readonly provider: IdentityProvider
  readonly host: ProviderHost
  readonly options: SignInOptions
  /** Where the pages of a console take people back; `undefined` without a console. */
  readonly console: () => string | undefined
}

/** Creates the client of the provider. */
export const signInAt = (
  options: SignInOptions,
  host: ProviderHost,
  consoleUrl: ConsoleUrl | undefined,
): SignIn => ({
  options,
  console: () => {
    const url = typeof consoleUrl === 'function' ? consoleUrl() : consoleUrl
    return url === undefined ? undefined : `${url.replace(/\/$/, '')}/sign-in`
  },
  host,
  provider: identityProvider({ issuer: options.issuer }, host),
})
