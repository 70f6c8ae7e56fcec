/**
 * What is used of a `postgres` (postgres.js) client.
 *
 * @public
 */
export interface PostgresJsClient {
  /** Runs one statement. */
  unsafe(
    query: string,
    parameters?: (string | number | null)[],
    options?: { prepare?: boolean },
  ): PromiseLike<readonly unknown[]>
  /** Runs `work` in a transaction on a connection of its own. */
  begin(options: string, work: (sql: Pick<PostgresJsClient, 'unsafe'>) => Promise<unknown>): Promise<unknown>
  /** Hears notifications of a channel. */
  listen(channel: string, fn: (payload: string) => void): Promise<{ unlisten(): Promise<void> }>
}

/**
 * What is used of a `pg` pool.
 *
 * @public
 */
export interface PgPool {
  /** Lends a connection. */
  connect(): Promise<PgClient>
  on?(event: 'error', fn: (error: Error) => void): unknown
  off?(event: 'error', fn: (error: Error) => void): unknown
}

/**
 * What is used of a client of a `pg` pool.
 *
 * @public
 */
export interface PgClient {
  /** Runs one statement. */
  query(query: {
    text: string
    values: (string | number | null)[]
    name?: string
  }): Promise<{ rows: unknown[] }>
  /** Hears notifications, and of a connection that is lost. */
  on(event: 'notification' | 'error', fn: (message: { payload?: string | undefined }) => void): unknown
  /** Gives the connection back; `true` closes it. */
  release(destroy?: boolean): void
}

/**
 * A client of either library, made and closed by the caller. It needs at least two connections.
 *
 * @public
 */
export type PostgresClient = PostgresJsClient | PgPool

/** What is wrong with what should be a client of either library, if anything; nothing is asked of it yet. */
export function clientProblem(client: unknown): string | undefined {
  const isObject = (typeof client === 'object' && client !== null) || typeof client === 'function'
  if (!isObject || !('unsafe' in client || 'connect' in client)) return 'is neither postgres nor pg'
  // What postgres lends (`reserve`) or hands to a transaction cannot begin one; what pg calls Client has parameters.
  const isSingle = 'unsafe' in client ? !('begin' in client) : 'connectionParameters' in client
  return isSingle ? 'is a single connection, and a store needs several' : undefined
}

/** How many connections a client has at most, where it says so, as both libraries do. */
export function connectionsOf(client: PostgresClient): number | undefined {
  const options: unknown = 'options' in client ? client.options : undefined
  if (typeof options !== 'object' || options === null || !('max' in options)) return undefined
  return typeof options.max === 'number' ? options.max : undefined
}
