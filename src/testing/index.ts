/**
 * What tests need: a clock one moves by hand, identifiers that repeat, and in-process services.
 *
 * @packageDocumentation
 */
export { seededRandom } from '../kernel/seeded-random.ts'
export { seededIds, type TestClock, testClock } from './clock.ts'
export { IdpScript, readIdpScript, scriptedProvider } from './scripted-provider.ts'
