import type { Account } from '../accounts/model.ts'
import type { Role } from '../accounts/role.ts'
import type { SaveUserInput } from '../accounts/save-user.ts'

/**
 * A user to create or to change, with the password in plain text; omitted fields stay unchanged.
 */
export interface PutUserInput extends Omit<SaveUserInput, 'passwordHash'> {
  readonly password?: string | undefined
  /** Refuses a user that exists with `account_taken`, instead of changing it. */
  readonly createOnly?: boolean | undefined
}

/**
 * Name or e-mail address, and password.
 */
export interface Credentials {
  readonly login: string
  readonly password: string
}

/** Options of a log-in. */
export interface LogInDetails {
  /** The description of the token. */
  readonly description?: string | undefined
  /** The two-factor code. */
  readonly code?: string | undefined
}

/**
 * Whether providers are identified by name alone, as in version 1 of the API, or by name and architecture.
 */
export interface ProviderPolicy {
  /** Refuses a second provider of the same name even for another architecture; false by default. */
  readonly byName?: boolean | undefined
}

/**
 * Options of an upload.
 */
export interface LeaveTo {
  /** The caller's token: the upload expires with it. */
  readonly token?: string | undefined
}

/**
 * Which of many boxes to read.
 */
export interface BoxPage {
  /** How many to skip; none by default. */
  readonly offset?: number | undefined
  /** The maximum number; all by default. */
  readonly limit?: number | undefined
}

/**
 * The dates and the downloads of a box in another catalog; instants are milliseconds since the Unix epoch.
 */
export interface BoxHistory {
  readonly createdAt: number
  readonly downloads: number
  readonly versions: readonly {
    readonly version: string
    readonly createdAt: number
    readonly updatedAt: number
  }[]
}

/**
 * Which accounts to list.
 */
export interface AccountList {
  /** Users or organizations; both by default. */
  readonly kind?: Account['kind'] | undefined
  /** How many to skip; none by default. */
  readonly offset?: number | undefined
  /** The maximum number; all by default. */
  readonly limit?: number | undefined
}

/**
 * Which tokens to list.
 */
export interface TokenList {
  /** Only those of this user. */
  readonly username?: string | undefined
}

/**
 * Whose members: those of an account, which concern all its boxes, or those of one of them.
 */
export interface MembersOf {
  /** The user or the organization. */
  readonly owner: string
  /** The name of one of its boxes; all by default. */
  readonly box?: string | undefined
}

/**
 * What a new token is for. Without limits it may do what its user may.
 */
export interface TokenDetails extends Pick<LogInDetails, 'description'> {
  /** The highest role it has anywhere: a `reader` changes nothing. */
  readonly role?: Role | undefined
  /** The accounts whose boxes it is for; all by default. */
  readonly owners?: readonly string[] | undefined
  /** Its TTL in milliseconds, at most ten years; none by default. */
  readonly ttlMs?: number | undefined
}
