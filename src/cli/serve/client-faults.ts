import type { Log } from './log.ts'

/**
 * Keeps the process alive when the `postgres` client drops a failure of its own on the floor.
 *
 * @remarks
 * The client asks each new connection for the database's array types and forgets the promise; when the connection
 * breaks just then, the rejection is unhandled and would end the process (porsager/postgres issue 1192). The query
 * it belongs to is tried again by the store. Every other unhandled rejection stays fatal.
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

/** The client notes its own query on the error, though not for people to see. */
const isTypeQuery = (reason: unknown): reason is Error =>
  reason instanceof Error && 'query' in reason && String(reason.query).includes('pg_catalog.pg_type')
