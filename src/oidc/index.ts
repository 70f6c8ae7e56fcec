/**
 * The client of identity providers: tokens, keys, discovery, and the sign-in of a person in a browser.
 *
 * @packageDocumentation
 */
export { type AlgorithmName, algorithmNames, algorithmOf } from './algorithms.ts'
export { answeredSignIns, answerOnce, forgetAnswered, nextAnsweredEnd } from './answered.ts'
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
  challengeOf,
  exchangeCode,
  type OidcClient,
  type SignIns,
  signIns,
} from './sign-in.ts'
export {
  checkTrust,
  isLoopback,
  isWebAddress,
  type Trusted,
  type TrustRefusal,
  type TrustRule,
  type TrustRules,
  trustRuleProblem,
  trustRules,
} from './trust.ts'
