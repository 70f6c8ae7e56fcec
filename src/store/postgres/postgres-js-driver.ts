import { StoreError } from '../port/errors.ts'
import type { PostgresJsClient } from './client.ts'
import { closerOf } from './connections.ts'
import type { Driver, Query, Row } from './driver.ts'
import { sqlState } from './sql-state.ts'

export function postgresJsDriver(sql: PostgresJsClient, prepare: boolean): Driver {
  const on =
    (connection: Pick<PostgresJsClient, 'unsafe'>): Query =>
    async (text, values = [], name) => {
      // Rows are objects by column; the client's own type says so with more parameters.
      const rows = (await connection.unsafe(text, [...values], {
        prepare: prepare && name !== undefined,
      })) as readonly Row[]
      // After a result that broke off, the client leaves as many places at the start of the next one empty
      // (porsager/postgres issue 1119).
      return 0 in rows ? rows : rows.filter(() => true)
    }
  return {
    query: on(sql),
    transaction: <T>(mode: string, work: (query: Query) => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        // Copied: the client flattens arrays it returns.
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
          // The client would send its commit or rollback to a connection that no longer exists, which ends the
          // process (porsager/postgres issue 1208), or that already serves others (pull request 1155).
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
    closeSilent: closerOf(sql),
    release: () => {},
  }
}

const forever = new Promise<never>(() => undefined)

/** Whether an error means that the connection of the query can no longer be used. */
const isBroken = (error: unknown): boolean => /^(?:CONNECTION_|E[A-Z]+$|57P|08)/.test(sqlState(error))
