import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemEnv } from '../../kernel/system-env.ts'
import { importBatches } from '../files/import-batches.ts'
import { StoreError } from '../port/errors.ts'
import type { Entry, Rev } from '../port/port.ts'
import type { SqliteDatabase } from './driver.ts'
import { storeText, sweeping } from './large-values.ts'
import type { Session } from './session.ts'
import { type RealmRow, referenceIn, type Statements } from './statements.ts'

/** The maximum size of an import per transaction, which blocks the process and other writers. */
const batchLimits = { entries: 1_000, bytes: 1024 * 1024 }

/**
 * Fills an empty realm in several transactions. Until the last one the realm's row has the id of the import, so that an
 * incomplete realm is neither read nor written, even after a crash; another import then starts over.
 */
export async function importAll(session: Session, source: AsyncIterable<Entry>, head: Rev): Promise<void> {
  const { path } = session
  const mine = systemEnv().newId('import')
  const write = (run: (sql: Statements, realm: RealmRow, database: SqliteDatabase) => void) =>
    session.writing({ run, written: () => undefined })
  const mark = (database: SqliteDatabase, { id }: RealmRow, importing: string | null) =>
    database.prepare('update realms set importing = ? where id = ?').run(importing, id)
  const clear = (database: SqliteDatabase, { id }: RealmRow) =>
    database.prepare('delete from entries where realm = ?').run(id)
  const insist = ({ importing }: { readonly importing: string | null }) => {
    if (importing !== mine)
      throw new StoreError('locked', `another import into ${path} has taken over from this one`)
  }
  await write((_, realm, database) => {
    if (realm.importing !== null) clear(database, realm)
    else if (session.head(realm) > 0)
      throw new StoreError(
        'not_empty',
        `an import needs an empty realm; ${path} is at ${session.head(realm)}`,
      )
    mark(database, realm, mine)
  })
  const begun: number[] = []
  const rowOf = async ({ key, value, created, modified }: Entry) => {
    const json = JSON.stringify(value)
    const text = await storeText(session, json, (large) => begun.push(large))
    // A large value ends its batch: while a slow source fills one, pieces could grow old enough to be given up.
    return { key, text, created, modified, size: json.length }
  }
  try {
    for await (const rows of importBatches(source, head, batchLimits, rowOf)) {
      await write((sql, realm) => {
        insist(realm)
        for (const { key, text, created, modified } of rows) {
          if (sql.existing(realm.id, key) !== undefined)
            throw new StoreError('invalid', `imported twice: ${JSON.stringify(key)}`)
          const reference = referenceIn(text)
          if (reference) sql.pieces().finish(reference.large)
          sql.put(realm.id, key, text, created, modified)
        }
      })
      await nextTurn()
    }
    await write((_, realm, database) => {
      insist(realm)
      database
        .prepare('update realms set importing = null, base = ?, floor = ? where id = ?')
        .run(head, head, realm.id)
    })
  } catch (error) {
    await write((_, realm, database) => {
      if (realm.importing !== mine) return
      clear(database, realm)
      mark(database, realm, null)
    }).catch(() => undefined)
    sweeping(session)(begun)
    throw error
  }
}
