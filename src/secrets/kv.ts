/**
 * Key/value secrets as pure engines: versioned ones (version 2: check-and-set, soft delete, pruning, expiry) and
 * plain ones (version 1).
 *
 * The engine of versioned secrets stores versions, not data: store the data under the secret's `incarnation` and the
 * number of the version, and delete the data of versions that a command reports as pruned or destroyed. `secretsWorld`
 * of `plinth/testing` does that in memory.
 *
 * @packageDocumentation
 */
export type { Env, Instant, Outcome, Refusal, Refused, Step } from '../kernel/index.ts'
export * from './kv1/index.ts'
export * from './kv2/index.ts'
