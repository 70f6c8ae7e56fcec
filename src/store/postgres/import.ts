import { StoreError } from '../port/errors.ts'
import type { Entry, Rev } from '../port/port.ts'
import { isAmbiguous } from './errors.ts'
import { withRetries } from './retries.ts'
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
  let fault: { readonly error: unknown } | undefined
  let [begun, written] = [false, false]
  const attempt = () =>
    driver.transaction('isolation level read committed', async (within) => {
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
  // Only an import whose entries are all written may have been committed by a statement without an answer.
  const lost = () => (written ? 'unknown' : 'unreachable')
  try {
    await withRetries(
      session,
      attempt,
      () => !begun,
      (error) => (isAmbiguous(error) ? lost() : 'unsuitable'),
    )
  } catch (error) {
    if (fault !== undefined) throw fault.error
    const cause = error instanceof StoreError ? error.cause : undefined
    throw sqlState(cause) === '23505' ? new StoreError('invalid', 'a key was imported twice', cause) : error
  }
}
