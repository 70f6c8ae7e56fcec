import type { Log } from './log.ts'

/**
 * Keeps the process alive when the `postgres` client leaves a rejection unhandled.
 *
 * @remarks
 * The client asks each new connection for the database's array types and drops the promise; if the connection breaks at
 * that moment, the rejection is unhandled and would end the process (porsager/postgres issue 1192). The store retries
 * the query concerned. Every other unhandled rejection stays fatal.
 */
export function surviveTypeQueries(log: Log): () => void {
  const onRejection = (reason: unknown): void => {
    if (isTypeQuery(reason)) log.warn(`a database connection broke while it was opened: ${reason.message}`)
    else
      process.nextTick(() => {
        throw reason
      })
  }
  process.on('unhandledRejection', onRejection)
  return () => void process.off('unhandledRejection', onRejection)
}

/** The client attaches its own query to the error as a hidden property. */
const isTypeQuery = (reason: unknown): reason is Error =>
  reason instanceof Error && 'query' in reason && String(reason.query).includes('pg_catalog.pg_type')
