/**
 * Key/value secrets as pure engines: versioned ones (version 2: check-and-set, soft delete, pruning, expiry) and
 * plain ones (version 1).
 *
 * @packageDocumentation
 */
export type { Env, Instant, Outcome, Refusal, Refused, Step } from '../kernel/index.ts'
export * from './kv1/index.ts'
export * from './kv2/index.ts'
