/**
 * What tests need: a clock one moves by hand, identifiers that repeat, and an identity provider that does what its
 * script says. The services themselves need nothing more: their `fetch` is a function.
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
