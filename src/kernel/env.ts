/**
 * A point in time: whole milliseconds since the Unix epoch.
 */
export type Instant = number

/**
 * Everything a command may know about the outside world, captured once per command.
 *
 * @remarks
 * Engines read time and identifiers only from here, which makes them pure: the same state, input and `Env` always give
 * the same outcome.
 */
export interface Env {
  /** The time of this command. */
  readonly now: Instant
  /** Returns a new opaque identifier (a UUID in production); `kind` is the kind of object, for seeded tests. */
  readonly newId: (kind: string) => string
}

/**
 * How a service waits. Engines never wait; only services have `Timers`, so that a test can control time.
 */
export interface Timers {
  /**
   * Calls `fn` once, `ms` milliseconds from now; the returned function cancels it.
   *
   * @param options - `hold`: a caller waits for an answer, so the process must not end before the timer fires.
   * Background work, such as sweeping, omits it.
   */
  readonly after: (
    ms: number,
    fn: () => void,
    options?: { readonly hold?: boolean | undefined },
  ) => () => void
}
