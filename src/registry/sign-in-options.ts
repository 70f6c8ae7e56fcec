/**
 * The identity provider at which people sign in (`terraform login`).
 */
export interface SignInOptions {
  /** The issuer: its address without `/.well-known/openid-configuration`. */
  readonly issuer: string
  /** The client of this registry at the provider, with the redirect `<public address>/plinth/v1/login/callback`. */
  readonly clientId: string
  /** The secret of this client at the provider. */
  readonly clientSecret: string
  /**
   * The groups whose members may sign in and read everything, and the namespaces into which each publishes: `*` for all,
   * none for reading only. Groups are those of the claim `groups`, of the ID token or of the provider's user information.
   */
  readonly groups: Readonly<Record<string, readonly string[]>>
  /** How long the token of a login is valid, in milliseconds; a day by default. */
  readonly tokenTtlMs?: number | undefined
}
