/** A row of a result, by column. */
export type Row = Readonly<Record<string, unknown>>

/** Runs one statement; with a name, it may be prepared. */
export type Query = (
  text: string,
  values?: readonly (string | number | null)[],
  name?: string,
) => Promise<readonly Row[]>

/** The interface to PostgreSQL client libraries that the adapter uses. */
export interface Driver {
  readonly query: Query
  /** Runs `work` on one connection between `begin …` and `commit`; rolls back if it throws. */
  transaction<T>(mode: string, work: (query: Query) => Promise<T>): Promise<T>
  /**
   * Calls `fn` for each notification until the returned function is called, or `lost` once if its connection breaks and
   * the client does not reconnect by itself.
   */
  listen(channel: string, fn: (payload: string) => void, lost: () => void): Promise<() => Promise<void>>
  /** Closes connections over which nothing has arrived for some milliseconds, after a statement without an answer. */
  closeSilent(ms: number): void
  /** Releases the client, which the caller owns. */
  release(): void
}
