import { StoreError } from '../errors.ts'

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

export type Row = Readonly<Record<string, unknown>>
export type Query = (
  text: string,
  values?: readonly (string | number | null)[],
  name?: string,
) => Promise<readonly Row[]>

/** The one shape the adapter works with, whichever library is behind it. */
export interface Driver {
  readonly query: Query
  /** Runs `work` on one connection between `begin …` and `commit`; rolls back if it throws. */
  transaction<T>(mode: string, work: (query: Query) => Promise<T>): Promise<T>
  /**
   * Calls `fn` for each notification until the returned function is called, or `lost` once if its connection breaks and
   * the client does not mend that by itself.
   */
  listen(channel: string, fn: (payload: string) => void, lost: () => void): Promise<() => Promise<void>>
  /** Lets go of the client, which stays its owner's. */
  release(): void
}

/** What is wrong with what should be a client of either library, if anything; nothing is asked of it yet. */
export function faultOf(client: unknown): string | undefined {
  const isObject = (typeof client === 'object' && client !== null) || typeof client === 'function'
  if (!isObject || !('unsafe' in client || 'connect' in client)) return 'is none of postgres or pg'
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

export const driverOf = (client: PostgresClient, prepare: boolean): Driver =>
  'unsafe' in client ? ofPostgresJs(client, prepare) : ofPg(client, prepare)

function ofPostgresJs(sql: PostgresJsClient, prepare: boolean): Driver {
  const on =
    (connection: Pick<PostgresJsClient, 'unsafe'>): Query =>
    async (text, values = [], name) =>
      // Rows are objects by column; the client's own type says so with more parameters.
      (await connection.unsafe(text, [...values], {
        prepare: prepare && name !== undefined,
      })) as readonly Row[]
  return {
    query: on(sql),
    transaction: <T>(mode: string, work: (query: Query) => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        // Kept here: the client flattens arrays it returns.
        let done: { readonly value: T } | undefined
        let lost: { readonly error: unknown } | undefined
        const lose = (error: unknown) => {
          lost ??= { error }
          reject(error)
        }
        const begun = sql.begin(mode, async (connection) => {
          const query = on(connection)
          try {
            const value = await work(async (...asked) => {
              if (lost !== undefined) throw lost.error
              try {
                return await query(...asked)
              } catch (error) {
                if (isBroken(error)) lose(error)
                throw error
              }
            })
            done = { value }
          } catch (error) {
            if (lost === undefined) throw error
          }
          // The client would send its commit or rollback to a connection that is no more, which ends the process
          // (porsager/postgres issue 1208), or that serves others by now (pull request 1155).
          if (lost !== undefined) await forever
        })
        begun.then(
          () =>
            done === undefined
              ? reject(new StoreError('unknown', 'the client ended a transaction without running it'))
              : resolve(done.value),
          lose,
        )
      }),
    listen: async (channel, fn) => {
      const { unlisten } = await sql.listen(channel, fn)
      return () => unlisten()
    },
    release: () => {},
  }
}

const forever = new Promise<never>(() => undefined)

/** Whether the connection of a question that failed so can be asked no more. */
const isBroken = (error: unknown): boolean => /^(?:CONNECTION_|E[A-Z]+$|57P|08)/.test(sqlState(error))

/** The clients of any pool that were given a listener already. */
const heard = new WeakSet<PgClient>()

/** How many stores stand on a pool that was given a listener. */
const served = new WeakMap<PgPool, number>()

/** The next question finds out by itself. */
const ignoreLoss = () => undefined

/**
 * A pool tells of an idle connection that broke, as all do when the server restarts, and ends the process unless someone
 * listens. One listener does for all stores on it.
 */
function listenForLosses(pool: PgPool): () => void {
  const add = (change: number) => {
    const before = served.get(pool) ?? 0
    served.set(pool, before + change)
    if (before === 0) pool.on?.('error', ignoreLoss)
    if (before + change === 0) pool.off?.('error', ignoreLoss)
  }
  add(1)
  let released = false
  return () => {
    if (!released) add(-1)
    released = true
  }
}

function ofPg(pool: PgPool, prepare: boolean): Driver {
  const release = listenForLosses(pool)
  const on =
    (client: PgClient): Query =>
    async (text, values = [], name) => {
      const named = prepare && name !== undefined ? { name: `plinth ${name}` } : {}
      const { rows } = await client.query({ text, values: [...values], ...named })
      return rows as readonly Row[]
    }
  /** A lent client whose connection breaks ends the process unless someone listens; the query fails all the same. */
  const connect = async (): Promise<PgClient> => {
    const client = await pool.connect()
    if (!heard.has(client)) client.on('error', () => undefined)
    heard.add(client)
    return client
  }
  const borrow = async <T>(work: (client: PgClient) => Promise<T>): Promise<T> => {
    const client = await connect()
    let broken = true
    try {
      const result = await work(client)
      broken = false
      return result
    } catch (error) {
      // An answer of the server leaves the connection usable, unless it ended it.
      broken = !isAnswer(error) || /^(57P|08)/.test(sqlState(error))
      throw error
    } finally {
      client.release(broken)
    }
  }
  return {
    query: (text, values, name) => borrow((client) => on(client)(text, values, name)),
    transaction: (mode, work) =>
      borrow(async (client) => {
        const query = on(client)
        await query(`begin ${mode}`)
        try {
          const result = await work(query)
          await query('commit')
          return result
        } catch (error) {
          await query('rollback').catch(() => undefined)
          throw error
        }
      }),
    listen: async (channel, fn, lost) => {
      const client = await connect()
      let given: 'lent' | 'back' = 'lent'
      const giveBack = () => {
        if (given === 'lent') client.release(true)
        given = 'back'
      }
      client.on('notification', ({ payload }) => fn(payload ?? ''))
      let listening = false
      client.on('error', () => {
        if (given === 'lent' && listening) lost()
        giveBack()
      })
      try {
        await on(client)(`listen "${channel}"`)
      } catch (error) {
        giveBack()
        throw error
      }
      listening = true
      return async () => giveBack()
    },
    release,
  }
}

/** PostgreSQL's code of an error, or the system's, or nothing. */
export const sqlState = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/** Whether the server said it, in a code of its own: the system's names of five letters, such as EPIPE, have no digit. */
export const isAnswer = (error: unknown): boolean => /^(?=.*[0-9])[0-9A-Z]{5}$/.test(sqlState(error))
