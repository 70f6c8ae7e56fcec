import { StoreError } from '../port/errors.ts'
import type { Entry, Rev } from '../port/port.ts'
import { bare, explain, isAmbiguous } from './errors.ts'
import type { Session } from './session.ts'
import { sqlState } from './sql-state.ts'
import { runsOfEntries } from './statements.ts'

/** Fills an empty realm in one transaction, however long it takes. */
export async function importAll(session: Session, entries: AsyncIterable<Entry>, head: Rev): Promise<void> {
  const { driver, realm, name, sql } = session
  let fault: { readonly error: unknown } | undefined
  try {
    await driver.transaction('isolation level read committed', async (within) => {
      const [row] = await within(sql.lock, [realm])
      if (row === undefined)
        throw new StoreError('unsuitable', `the realm ${name} was deleted: open it again`)
      const present = Number(row['rev'])
      if (present > 0)
        throw new StoreError('not_empty', `an import needs an empty realm; ${name} is at ${present}`)
      const runs = runsOfEntries(entries, head, (error) => {
        fault = { error }
      })
      for await (const run of runs) await within(sql.import, [realm, ...run], 'import')
      await within(sql.imported, [realm, head])
    })
  } catch (error) {
    if (fault !== undefined) throw fault.error
    if (sqlState(error) === '23505') throw new StoreError('invalid', 'a key was imported twice', bare(error))
    throw explain(error, isAmbiguous(error) ? 'unknown' : 'unsuitable')
  }
}
