/**
 * What tests need: a manual clock, identifiers that repeat, a world of secrets without a service, and an identity provider
 * that does what its script says. The services themselves need nothing more: their `fetch` is a function.
 *
 * @packageDocumentation
 */
export type { Env, Instant, Refusal, Refused, Timers } from '../kernel/index.ts'
export { seededRandom } from '../kernel/seeded-random.ts'
export type {
  GroupsAnswer,
  IdpFactor,
  IdpOrganisation,
  IdpProvider,
  ProviderAnswer,
  ProviderProblem,
} from '../secrets/idp/index.ts'
export { seededIds, type TestClock, testClock } from './clock.ts'
export { IdpScript, readIdpScript, scriptedProvider } from './scripted-provider.ts'
export {
  type SecretsWorld,
  type SecretsWorldOptions,
  secretsWorld,
  type WorldWrite,
} from './secrets-world.ts'
