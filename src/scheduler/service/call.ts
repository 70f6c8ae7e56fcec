/**
 * The caller of a read, and how long it waits for changes.
 */
export interface ReadCall {
  /** The caller's secret; without it they are anonymous. Ignored while access control is off. */
  readonly token?: string | undefined
  /** `default` by default; `*` for every namespace that the caller can read. */
  readonly namespace?: string | undefined
  /** Waits until the index of the answer is higher than this one. */
  readonly index?: number | undefined
  /** The maximum wait in milliseconds; five minutes by default, ten at most. */
  readonly waitMs?: number | undefined
  /** Answers from this process's replica, without asking the store for newer commits. */
  readonly stale?: boolean | undefined
  /** Ends the wait: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The part of a list to return.
 */
export interface ListCall extends ReadCall {
  /** Returns only rows whose name (pools) or ID (all others) has this prefix. */
  readonly prefix?: string | undefined
  /** A filter expression over the full objects; an empty one is ignored. */
  readonly filter?: string | undefined
  /** The maximum number of rows per page; 0 returns all. */
  readonly perPage?: number | undefined
  /** The start of the page: the `nextToken` of the previous page. */
  readonly nextToken?: string | undefined
  /** Descending order. */
  readonly reverse?: boolean | undefined
}

/**
 * The caller of a write.
 */
export interface WriteCall {
  /** The caller's secret; without it they are anonymous. Ignored while access control is off. */
  readonly token?: string | undefined
}

/**
 * The result of a read, with its index.
 */
export interface Found<Value> {
  readonly ok: true
  /** The result. It can be shared with other callers, so do not change it; rows of the cluster are frozen. */
  readonly value: Value
  /** The newest revision in the answer; pass it as `index` to wait for the next. At least 1, never decreasing. */
  readonly index: number
  /** The start of the next page; `undefined` on the last one. */
  readonly nextToken?: string | undefined
  /** Milliseconds since this process last heard from the leader. */
  readonly lastContact: number
  /** Whether a leader is known. */
  readonly knownLeader: boolean
}

/**
 * The result of a write, with its index.
 */
export interface Written<Value> {
  readonly ok: true
  /** The stored object. */
  readonly value: Value
  /** The revision of the write. */
  readonly index: number
}
