/**
 * Key/value secrets as pure engines: versioned ones (version 2: check-and-set, soft delete, pruning, expiry) and
 * plain ones (version 1).
 *
 * The engine of versioned secrets holds versions, not data: keep the data under the secret's `incarnation` and the number of
 * the version, and drop what a command says is pruned or destroyed. `secretsWorld` of `plinth/testing` does that in memory.
 *
 * @packageDocumentation
 */
export type { Env, Instant, Outcome, Refusal, Refused, Step } from '../kernel/index.ts'
export * from './kv1/index.ts'
export * from './kv2/index.ts'
