import type { LoginStatus } from './login-lifecycle.ts'

/**
 * A login in progress. Contains neither password nor passcode: the caller keeps them.
 */
export interface Login {
  readonly status: LoginStatus
  readonly username: string
  /** The nonce under which a number to choose is shown; empty if the user gave none. */
  readonly nonce: string
  /** The requested factor provider, upper case; empty for any. */
  readonly provider: string
  readonly hasPasscode: boolean
  /** Fixed for the whole login, also if the configuration changes meanwhile. */
  readonly bypassMfa: boolean
  readonly hasApiToken: boolean
  /** When the login expires, independent of the provider. */
  readonly deadline: number
  readonly factorId: string
  readonly withPasscode: boolean
  readonly stateToken: string
  readonly userId: string
  readonly groups: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * The next step of a login. `verify` with a delay asks again after that time; `show` has the number that the user must
 * choose, to be stored under the nonce until the login ends.
 */
export type LoginAsk =
  | { readonly kind: 'authenticate' }
  | {
      readonly kind: 'verify'
      readonly factorId: string
      readonly stateToken: string
      readonly withPasscode: boolean
      readonly afterMs: number
      readonly show?: { readonly nonce: string; readonly answer: number }
    }
  | { readonly kind: 'groups'; readonly userId: string }
  | { readonly kind: 'granted'; readonly groups: readonly string[]; readonly warnings: readonly string[] }

/** Why a login ended without a token: the provider's refusal (400), or no answer (502). */
export type LoginRefusal =
  | 'idp_provider_unknown'
  | 'idp_refused'
  | 'idp_enrollment'
  | 'idp_factor_missing'
  | 'idp_passcode_missing'
  | 'idp_nonce_missing'
  | 'idp_factor_denied'
  | 'idp_factor_timeout'
  | 'idp_unavailable'

/**
 * The settings of a login.
 */
export interface LoginPolicy {
  /** The word for the method in texts: `idp`. */
  readonly word: string
  /** Factor providers in capitals: the authenticator app's vendor first, then the identity provider's names. */
  readonly providers: readonly string[]
  readonly bypassMfa: boolean
  /** Whether the provider can be queried for groups. */
  readonly hasApiToken: boolean
}

/**
 * The default {@link LoginPolicy}: every factor counts, and groups are local ones only.
 */
export const loginPolicy: LoginPolicy = {
  word: 'idp',
  providers: ['GOOGLE', 'IDP'],
  bypassMfa: false,
  hasApiToken: false,
}
