import * as z from 'zod'
import type { TokenSettings } from '../tokens/token-settings.ts'
import { boundClaimsTypes, roleTypes } from './role-types.ts'

const texts = z.array(z.string())

/**
 * The configuration of the method: where the keys of its provider are. Exactly one of `jwtValidationPubkeys`, `jwksUrl`
 * and `oidcDiscoveryUrl` is set; what is not set is empty.
 */
export const JwtConfig = z.strictObject({
  /** The issuer, whose discovery document names its keys. */
  oidcDiscoveryUrl: z.string(),
  oidcClientId: z.string(),
  /** Never leaves the service. */
  oidcClientSecret: z.string(),
  jwksUrl: z.string(),
  /** Public keys in PEM. */
  jwtValidationPubkeys: texts,
  /** The accepted algorithms; empty for all, and for RS256 only in sign-ins with a browser. */
  jwtSupportedAlgs: texts,
  /** The issuer that tokens must name; empty for any. */
  boundIssuer: z.string(),
  /** The role of logins that name none; empty for none. */
  defaultRole: z.string(),
})
export interface JwtConfig extends z.infer<typeof JwtConfig> {}

const boundValue = z.union([z.string(), z.number(), z.boolean()])

/**
 * A role: which tokens may sign in, and what they get. Durations are whole seconds.
 */
export const JwtRole = z.strictObject({
  /** Lower case. */
  name: z.string(),
  roleType: z.enum(roleTypes),
  /** Of these audiences the token must name one; empty if it may have none. */
  boundAudiences: texts,
  /** The subject that the token must have; empty for any. */
  boundSubject: z.string(),
  boundClaimsType: z.enum(boundClaimsTypes),
  /** Claims by name or JSON pointer, each with the values of which the token must have one. */
  boundClaims: z.record(z.string(), z.union([boundValue, z.array(boundValue)])),
  /** Claims by name or JSON pointer, and the field of the token's metadata that each becomes. */
  claimMappings: z.record(z.string(), z.string()),
  /** The claim that names the user. */
  userClaim: z.string(),
  /** Whether `userClaim` is a JSON pointer. */
  userClaimJsonPointer: z.boolean(),
  /** The claim that lists the groups of the user; empty for none. */
  groupsClaim: z.string(),
  /** The scopes that the provider is asked for, beside `openid`. */
  oidcScopes: texts,
  /** Where the provider may send browsers back to; the port of a loopback address is not compared. */
  allowedRedirectUris: texts,
  /** Added to the beginning of a token without an end; 0 for 150, negative for none. */
  expirationLeewaySeconds: z.int(),
  /** Subtracted from the end of a token without a beginning; 0 for 150, negative for none. */
  notBeforeLeewaySeconds: z.int(),
  /** By how much clocks may differ; 0 for 60, negative for none. */
  clockSkewLeewaySeconds: z.int(),
  /** How long ago the user may have signed in at the provider; 0 for any time. */
  maxAgeSeconds: z.int().min(0),
  tokens: z.custom<TokenSettings>(),
})
export interface JwtRole extends z.infer<typeof JwtRole> {}

/** An event at a mount of the method. Never contains a token. */
export type JwtEvent =
  | { readonly type: 'jwt.configured' }
  | { readonly type: 'jwt.role_written'; readonly role: string }
  | { readonly type: 'jwt.logged_in'; readonly role: string; readonly user: string }
  | { readonly type: 'jwt.login_refused'; readonly reason: string }
