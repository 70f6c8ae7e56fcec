/**
 * The client of identity providers: tokens, keys, discovery, and the sign-in of a person in a browser.
 *
 * @packageDocumentation
 */
export { type AlgorithmName, algorithmNames, algorithmOf } from './algorithms.ts'
export { audiencesOf, claimsProblem, type ExpectedClaims, usualLeeways } from './check-claims.ts'
export {
  type Discovery,
  type IdentityProvider,
  identityProvider,
  type KeySource,
  type ProviderHost,
} from './identity-provider.ts'
export { readPem } from './key-set.ts'
export {
  type BoundClaims,
  type BoundValue,
  boundClaimsProblem,
  claimAt,
  claimValues,
  matchesGlob,
} from './match-claims.ts'
export type { Claims } from './read-token.ts'
export {
  authorizationAddress,
  exchangeCode,
  type OidcClient,
  type SignIns,
  signIns,
} from './sign-in.ts'
