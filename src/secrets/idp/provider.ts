/**
 * The port of the identity provider. Implementations never throw for failures of a provider or a network: they return a
 * verdict or a failure.
 */
export interface IdpProvider {
  /** Checks a password: the first call of a login. */
  readonly authenticate: (request: {
    readonly org: IdpOrganisation
    readonly username: string
    readonly password: string
    readonly address?: string | undefined
    readonly signal: AbortSignal
  }) => Promise<ProviderAnswer>
  /** Sends a passcode, or starts a push and polls its status. */
  readonly verifyFactor: (request: {
    readonly org: IdpOrganisation
    readonly factorId: string
    readonly stateToken: string
    readonly passcode?: string | undefined
    readonly signal: AbortSignal
  }) => Promise<ProviderAnswer>
  /** Queries the names of a user's groups. Called only with an API token. */
  readonly listGroups: (request: {
    readonly org: IdpOrganisation
    readonly userId: string
    readonly signal: AbortSignal
  }) => Promise<GroupsAnswer>
}

/** The organization and the credentials. */
export interface IdpOrganisation {
  readonly orgName: string
  readonly baseUrl: string
  readonly apiToken: string
}

/** A second factor that a user has. */
export interface IdpFactor {
  readonly id: string
  /** `token:software:totp`, `push`, or one that a login cannot use. */
  readonly type: string
  /** `GOOGLE`, or the provider's own name. */
  readonly provider: string
}

/**
 * An answer of the provider: the status of a login, a refusal (verdict), or an unusable answer (failure).
 */
export type ProviderAnswer =
  | {
      readonly kind: 'step'
      /** `SUCCESS`, `PASSWORD_WARN`, `MFA_REQUIRED`, `MFA_CHALLENGE`, `LOCKED_OUT`… */
      readonly status: string
      /** `WAITING`, `REJECTED`, `TIMEOUT`… while a factor is being verified. */
      readonly factorResult?: string | undefined
      readonly stateToken?: string | undefined
      readonly userId?: string | undefined
      readonly factors?: readonly IdpFactor[] | undefined
      /** The number that the user must choose on the other device. */
      readonly correctAnswer?: number | undefined
    }
  | ProviderProblem

/** Group names, or a failure. */
export type GroupsAnswer = { readonly kind: 'groups'; readonly names: readonly string[] } | ProviderProblem

/** A verdict is about the user; a failure is about the connection. Texts contain no secrets. */
export type ProviderProblem =
  | { readonly kind: 'verdict'; readonly message: string; readonly code?: string | undefined }
  | { readonly kind: 'failure'; readonly message: string }
