/**
 * Who asks, and how long they wait for an answer.
 *
 * @public
 */
export interface ReadCall {
  /** The caller's secret; without it they are anonymous. Ignored while access control is off. */
  readonly token?: string | undefined
  /** `default` by default; `*` is every namespace the caller may see. */
  readonly namespace?: string | undefined
  /** Waits until the answer's index is beyond this one. */
  readonly index?: number | undefined
  /** For at most this long, in milliseconds; five minutes by default, ten at most. */
  readonly waitMs?: number | undefined
  /** Takes what this process knows, without asking how far others have come. */
  readonly stale?: boolean | undefined
  /** Gives up waiting: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Which part of a list is asked for.
 *
 * @public
 */
export interface ListCall extends ReadCall {
  /** Only rows whose name (pools) or ID (all others) begins so. */
  readonly prefix?: string | undefined
  /** A filter expression over the full objects; blank is none. */
  readonly filter?: string | undefined
  /** Rows per page; 0 is all. */
  readonly perPage?: number | undefined
  /** Where the page begins: the `nextToken` of the page before. */
  readonly nextToken?: string | undefined
  /** Descending order. */
  readonly reverse?: boolean | undefined
}

/**
 * Who writes.
 *
 * @public
 */
export interface WriteCall {
  /** The caller's secret; without it they are anonymous. Ignored while access control is off. */
  readonly token?: string | undefined
}

/**
 * What was found, and as of when.
 *
 * @public
 */
export interface Found<Value> {
  readonly ok: true
  /** What was asked for. Others may hold the same object: it is for reading, and rows of the cluster are frozen. */
  readonly value: Value
  /** The newest revision the answer rests on; name it to wait for the next. Never below 1, never decreasing. */
  readonly index: number
  /** Where the next page begins; `undefined` on the last one. */
  readonly nextToken?: string | undefined
  /** How long ago, in milliseconds, this process last heard from the leader. */
  readonly lastContact: number
  /** Whether a leader is known. */
  readonly knownLeader: boolean
}

/**
 * What was written.
 *
 * @public
 */
export interface Written<Value> {
  readonly ok: true
  /** What was written, as it is stored. */
  readonly value: Value
  /** The revision of the write. */
  readonly index: number
}
