/**
 * Number of a commit in its realm: 1, 2, 3… without gaps; 0 = absent. Services use it as CreateIndex, ModifyIndex and
 * the index header.
 */
export type Rev = number

/**
 * Plain JSON data, the values of a store. `undefined`, `NaN`, `±Infinity`, `-0`, bigints, class instances and nesting
 * beyond 200 levels are refused when a commit is submitted.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/**
 * One key of a realm as of some revision.
 */
export interface Entry {
  readonly key: string
  /** Frozen JSON; `null` = a mark, a key that is touched and never put. */
  readonly value: Json
  /** The commit that created the key. Survives updates, not deletion. */
  readonly created: Rev
  /** The newest commit that put or touched the key. */
  readonly modified: Rev
}

/**
 * A run of keys in UTF-8 byte order, which is code point order.
 */
export interface Range {
  /** Only keys that begin with this text; `''` is everything. */
  readonly prefix: string
  /** Where to begin, inclusive, in the direction of travel. */
  readonly from?: string | undefined
  /** Where to begin, exclusive, in the direction of travel. */
  readonly after?: string | undefined
  /** At most this many entries. */
  readonly limit?: number | undefined
  /** From the last key to the first. */
  readonly reverse?: boolean | undefined
  /** The caller reads no values: a store may put `null` in their place, which spares it reading them. */
  readonly keysOnly?: boolean | undefined
}

/**
 * An atomic write: up to 64 keys among `put`, `del` and `touch`, each at most once; up to 256 expectations; at least
 * one key written.
 */
export interface Commit {
  /** Unique per attempt. A success is remembered, so submitting the same id again returns the first result. */
  readonly id: string
  /** Revisions the decision depends on, of records and marks alike; 0 = the key must be absent. */
  readonly expect?: readonly { readonly key: string; readonly rev: Rev }[] | undefined
  /** New values; never null, at most 40 MiB of JSON text each, and 240 MiB together. */
  readonly put?: readonly { readonly key: string; readonly value: Json }[] | undefined
  /**
   * Keys to delete; deleting an absent key is not an error. A mark is deleted by a commit that also expects it, once
   * nothing raises it any more.
   */
  readonly del?: readonly string[] | undefined
  /** Marks to raise. Touches commute with one another, and make commits that expect the mark fail. */
  readonly touch?: readonly string[] | undefined
  /**
   * Says that this id was submitted before and its outcome is unknown. A refusal is then remembered as well, so that
   * the first attempt cannot apply after all once the caller has moved on.
   */
  readonly again?: boolean | undefined
}

/**
 * The result of one commit: its revision, or the keys whose expectation failed and the head at that time.
 */
export type Verdict =
  | { readonly ok: true; readonly rev: Rev }
  | { readonly ok: false; readonly rev: Rev; readonly stale: readonly string[] }

/**
 * The arguments of {@link Store.changes}.
 */
export interface Since {
  /** The revision the caller has already seen; 0 for everything. */
  readonly after: Rev
  /** Returns only keys below one of these prefixes; `['']` is everything, `[]` only advances the revision. */
  readonly prefixes: readonly string[]
  /** The approximate maximum of keys in one answer, from 0; at least one commit is always returned whole. */
  readonly limit?: number | undefined
  /** How long to wait, in milliseconds, when nothing is new. */
  readonly waitMs?: number | undefined
  /** Ends the wait; the answer then contains no changes. */
  readonly signal?: AbortSignal | undefined
  /** No caller waits for the answer, as when a replica is kept current: the wait does not keep the process alive. */
  readonly background?: boolean | undefined
}

/**
 * The net effect of the commits in `(after, rev]`: the newest entry of each changed key, and the deleted keys. A key
 * deleted and absent is in `gone` even if the caller never saw it. The state is consistent only once `more` is false.
 */
export interface Changes {
  readonly rev: Rev
  readonly put: readonly Entry[]
  readonly gone: readonly string[]
  readonly more: boolean
}

/**
 * One consistent snapshot of a realm, wherever its data live. Use it only inside the function it was handed to.
 */
export interface View {
  readonly rev: Rev
  /** One result per key, in the given order. */
  get(keys: readonly string[]): Promise<(Entry | undefined)[]>
  /** The entries of a range, in the order of their keys. */
  scan(range: Range): Promise<Entry[]>
}

/**
 * A realm of keys: the port that every engine uses, and all that an adapter has to provide.
 *
 * @remarks
 * Strictly serializable: a commit's revision is its place in one order that all readers agree on, and a read that
 * starts after an acknowledgement sees it. An adapter that cannot determine the outcome of a commit throws a
 * {@link StoreError} of code `unknown`; the caller submits the same id with `again`.
 */
export interface Store {
  /** The newest revision; 0 in an empty realm. */
  head(): Promise<Rev>
  /** Runs `fn` on one consistent snapshot, no older than the moment of the call. */
  read<T>(fn: (view: View) => Promise<T>): Promise<T>
  /**
   * Commits are decided one by one, in order, each with its own revision; a later one sees the earlier ones, and a
   * refused one does not affect the others. A batch is one transaction of the engine, a very large one several in a
   * row.
   */
  commit(batch: readonly Commit[]): Promise<readonly Verdict[]>
  /**
   * Returns the changes after a revision: immediately if there are any, otherwise after at most `waitMs`.
   *
   * @throws {@link StoreError} of code `compacted`, immediately, when `after` is older than the adapter remembers, or
   * beyond the head (the realm was restored from an older copy): read the whole state again. `invalid` when `after` is
   * not a whole number from 0, or a prefix or the limit is not valid in a {@link Range}.
   */
  changes(since: Since): Promise<Changes>
  /**
   * Fills an empty realm, marks included, keeping every revision; the head becomes `head`, and nothing before it is
   * remembered.
   *
   * @throws {@link StoreError} of code `not_empty`; `invalid` for an invalid entry or head: heads go up to 2^52
   */
  import(entries: AsyncIterable<Entry>, head: Rev): Promise<void>
  /** Releases files and connections; every later call throws a {@link StoreError} of code `closed`. */
  close(): Promise<void>
}

/**
 * Everything as of one revision, in this process; never waits, stays valid for as long as it is held.
 */
export interface Snapshot {
  readonly rev: Rev
  /** The entry of a key, with the revisions at which it was created and last changed. */
  get(key: string): Entry | undefined
  /** The entries of a range, in the order of their keys. */
  scan(range: Range): Entry[]
  /** The values below a prefix in key order, in runs of at most 256, for `filter.select`. `from` is inclusive. */
  chunks(prefix: string, from?: string): Iterable<readonly Json[]>
}

/**
 * A store whose data are in this process, so that a snapshot costs nothing.
 */
export interface LocalStore extends Store {
  /** The current state; a root pointer, not a copy. */
  snapshot(): Snapshot
  /** Calls `fn` after every commit with the keys it wrote; the returned function removes the listener. */
  onCommit(fn: (rev: Rev, keys: readonly string[]) => void): () => void
}

/**
 * Whether a store keeps its data in this process.
 */
export const isLocal = (store: Store): store is LocalStore => 'snapshot' in store && 'onCommit' in store

/**
 * The limits that every adapter enforces, so that data that fits in memory fits in a database.
 */
export const limits = {
  /** Bytes of a key in UTF-8. */
  keyBytes: 1024,
  /** Keys among put, del and touch of one commit. */
  keysPerCommit: 64,
  /** Expectations of one commit. */
  expectsPerCommit: 256,
  /** Bytes of one value's JSON text in UTF-8. */
  valueBytes: 40 * 1024 * 1024,
  /**
   * The size of the JSON texts of all values of one commit in bytes: the capacity of a JavaScript string, quoted once
   * more.
   */
  commitBytes: 240 * 1024 * 1024,
  /** Nesting of one value. */
  depth: 200,
} as const
