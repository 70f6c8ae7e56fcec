/**
 * The kernel every engine stands on: outcomes, refusals, steps, lifecycles, durations and the environment.
 *
 * @packageDocumentation
 */
export * from './kernel/index.ts'
export { version } from './version.ts'
