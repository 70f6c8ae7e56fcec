import { StoreError, type StoreErrorCode } from '../port/errors.ts'
import type { Entry, Rev } from '../port/port.ts'
import { bare, explain, isAmbiguous, isAway } from './errors.ts'
import { attemptsWithin, readRetryMs } from './retries.ts'
import type { Session } from './session.ts'
import { sqlState } from './sql-state.ts'
import { runsOfEntries } from './statements.ts'

/**
 * Fills an empty realm in one transaction, however long it takes. It is retried like a read until it takes entries, which
 * it cannot take twice: the `postgres` client answers the first statement on a connection with the error that ended the
 * connection before it (porsager/postgres issue 1223).
 */
export async function importAll(session: Session, entries: AsyncIterable<Entry>, head: Rev): Promise<void> {
  const { driver, realm, name, sql } = session
  const attempts = attemptsWithin(session.settleMs, readRetryMs)
  let fault: { readonly error: unknown } | undefined
  let [begun, written] = [false, false]
  while (true) {
    try {
      return await driver.transaction('isolation level read committed', async (within) => {
        const [row] = await within(sql.lock, [realm])
        if (row === undefined)
          throw new StoreError('unsuitable', `the realm ${name} was deleted: open it again`)
        const present = Number(row['rev'])
        if (present > 0)
          throw new StoreError('not_empty', `an import needs an empty realm; ${name} is at ${present}`)
        begun = true
        const runs = runsOfEntries(entries, head, (error) => {
          fault = { error }
        })
        for await (const run of runs) await within(sql.import, [realm, ...run], 'import')
        await within(sql.imported, [realm, head])
        written = true
      })
    } catch (error) {
      if (fault !== undefined) throw fault.error
      if (sqlState(error) === '23505')
        throw new StoreError('invalid', 'a key was imported twice', bare(error))
      const mayPass = !begun && (isAmbiguous(error) || isAway(error))
      if (attempts.isOver(error) || session.isClosed() || !mayPass)
        throw explain(error, otherwise(error, written))
      await attempts.pause()
    }
  }
}

/** Only an import whose entries are all written may have been committed by a statement without an answer. */
function otherwise(error: unknown, written: boolean): StoreErrorCode {
  if (!isAmbiguous(error)) return 'unsuitable'
  return written ? 'unknown' : 'unreachable'
}
