/**
 * The used part of a `postgres` (postgres.js) client.
 */
export interface PostgresJsClient {
  /** Runs one statement. */
  unsafe(
    query: string,
    parameters?: (string | number | null)[],
    options?: { prepare?: boolean },
  ): PromiseLike<readonly unknown[]>
  /** Runs `work` in a transaction on its own connection. */
  begin(options: string, work: (sql: Pick<PostgresJsClient, 'unsafe'>) => Promise<unknown>): Promise<unknown>
  /** Listens for notifications of a channel. */
  listen(channel: string, fn: (payload: string) => void): Promise<{ unlisten(): Promise<void> }>
}

/**
 * The used part of a `pg` pool.
 */
export interface PgPool {
  /** Takes a connection from the pool. */
  connect(): Promise<PgClient>
  on?(event: 'error', fn: (error: Error) => void): unknown
  off?(event: 'error', fn: (error: Error) => void): unknown
}

/**
 * The used part of a client of a `pg` pool.
 */
export interface PgClient {
  /** Runs one statement. */
  query(query: {
    text: string
    values: (string | number | null)[]
    name?: string
  }): Promise<{ rows: unknown[] }>
  /** Listens for notifications, or for the loss of the connection. */
  on(event: 'notification' | 'error', fn: (message: { payload?: string | undefined }) => void): unknown
  /** Returns the connection to the pool; `true` closes it. */
  release(destroy?: boolean): void
}

/**
 * A client of either library, made and closed by the caller. It needs at least two connections.
 */
export type PostgresClient = PostgresJsClient | PgPool

/** Returns what is wrong with a client of either library, without using it; `undefined` if nothing is. */
export function clientProblem(client: unknown): string | undefined {
  const isObject = (typeof client === 'object' && client !== null) || typeof client === 'function'
  if (!isObject || !('unsafe' in client || 'connect' in client)) return 'is neither postgres nor pg'
  // A postgres connection from `reserve` or in a transaction cannot begin one; a pg Client has parameters.
  const isSingle = 'unsafe' in client ? !('begin' in client) : 'connectionParameters' in client
  return isSingle ? 'is a single connection, and a store needs several' : undefined
}

/** The maximum number of connections of a client, if known, as in both libraries. */
export function connectionsOf(client: PostgresClient): number | undefined {
  const options: unknown = 'options' in client ? client.options : undefined
  if (typeof options !== 'object' || options === null || !('max' in options)) return undefined
  return typeof options.max === 'number' ? options.max : undefined
}
