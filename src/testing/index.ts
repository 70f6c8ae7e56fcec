/**
 * Test helpers: services on a port that tests fill, fork, reset and break, a manual clock, repeatable identifiers, a
 * world of secrets without a service, and a scripted identity provider.
 *
 * @packageDocumentation
 */

// Start here

export { seededIds, type TestClock, testClock } from './clock.ts'
export { type StartCatalogOptions, startCatalog } from './server/catalog.ts'
export { type StartRegistryOptions, startRegistry } from './server/registry.ts'
export { type StartSchedulerOptions, startScheduler } from './server/scheduler.ts'
export { type StartedSecrets, type StartSecretsOptions, startSecrets } from './server/secrets.ts'

// The rest, by kind

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
export { IdpScript, readIdpScript, scriptedProvider } from './scripted-provider.ts'
export {
  type SecretsWorld,
  type SecretsWorldOptions,
  secretsWorld,
  type WorldCommand,
  type WorldWrite,
} from './secrets-world.ts'
export type { Matching, RecordedRequest } from './server/faults.ts'
export type { Started, StartOptions } from './server/start.ts'
