import type { OptionNames } from '../../kernel/check-options.ts'
import type { Timers } from '../../kernel/index.ts'
import type { Entry, Rev, Snapshot, Store } from '../port/port.ts'

/**
 * The part of a realm that a service reads all the time, in this process and in order: lists, filters, searches
 * and access checks read it, and `transact` decides on it.
 */
export interface Replica {
  /** The store behind it. */
  readonly store: Store
  /** Whether it holds a key; reading another key from its snapshots throws `not_held`. */
  holds(key: string): boolean
  /** The current state: never waits, may lag; `rev` is its revision. */
  stale(): Snapshot
  /**
   * At least the head at the time of the call: one round trip, shared by concurrent callers; none on a local store. Any
   * state from the revision `enough` on will do, if there is one.
   */
  fresh(enough?: Rev): Promise<Snapshot>
  /** At least `rev`: to read your own writes, or a state that a client has seen. */
  reached(rev: Rev, signal?: AbortSignal): Promise<Snapshot>
  /**
   * The entries of keys with their values, from one snapshot of the store that is no older than the call: for
   * collections whose values are not held. One result per key, in the given order.
   */
  load(keys: readonly string[]): Promise<readonly (Entry | undefined)[]>
  /**
   * Calls `fn` with the keys that changed whenever `stale()` has advanced; revision 0 after a `drop`: any key may have
   * changed.
   */
  onChange(fn: (rev: Rev, keys: readonly string[]) => void): () => void
  /** Drops everything, for a store that is being sealed; the next `fresh` reads it again. */
  drop(): void
  /** Stops following the store, which stays open. */
  close(): Promise<void>
}

/**
 * Options of {@link replica}.
 */
export interface ReplicaOptions {
  /** How the replica waits between failed calls. */
  readonly timers?: Timers | undefined
  /** Called for calls that failed and are retried, and for errors of `onChange` listeners. */
  readonly onError?: ((error: unknown) => void) | undefined
}

export const replicaOptions: OptionNames<ReplicaOptions> = {
  timers: true,
  onError: true,
}
