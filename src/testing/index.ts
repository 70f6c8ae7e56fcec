/**
 * Test helpers: a manual clock, repeatable identifiers, a world of secrets without a service, and a scripted identity
 * provider. The services need nothing else: their `fetch` is a function.
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
