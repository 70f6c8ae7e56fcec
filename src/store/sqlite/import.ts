import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemEnv } from '../../kernel/system-env.ts'
import { importBatches } from '../files/import-batches.ts'
import { StoreError } from '../port/errors.ts'
import type { Entry, Rev } from '../port/port.ts'
import type { Session } from './session.ts'

/** The maximum size of an import per transaction, which blocks the process and other writers. */
const atOnce = { entries: 1_000, bytes: 1024 * 1024 }

/**
 * Fills an empty realm in several transactions. Until the last one the realm's row has the id of the import, so that an
 * incomplete realm is neither read nor written, even after a crash; another import then starts over.
 */
export async function importAll(session: Session, source: AsyncIterable<Entry>, head: Rev): Promise<void> {
  const { path, writer } = session
  const mine = systemEnv().newId('import')
  const mark = writer.database.prepare('update realms set importing = ? where id = ?')
  const clear = writer.database.prepare('delete from entries where realm = ?')
  const finish = writer.database.prepare(
    'update realms set importing = null, base = ?, floor = ? where id = ?',
  )
  const insist = ({ importing }: { readonly importing: string | null }) => {
    if (importing !== mine)
      throw new StoreError('locked', `another import into ${path} has taken over from this one`)
  }
  await session.writing((_, realm) => {
    if (realm.importing !== null) clear.run(realm.id)
    else if (session.head(realm) > 0)
      throw new StoreError(
        'not_empty',
        `an import needs an empty realm; ${path} is at ${session.head(realm)}`,
      )
    mark.run(mine, realm.id)
  })
  try {
    for await (const rows of importBatches(source, head, atOnce, rowOf)) {
      await session.writing((sql, realm) => {
        insist(realm)
        for (const { key, text, created, modified } of rows) {
          if (sql.created(realm.id, key) !== undefined)
            throw new StoreError('invalid', `imported twice: ${JSON.stringify(key)}`)
          sql.put(realm.id, key, text, created, modified)
        }
      })
      await nextTurn()
    }
    await session.writing((_, realm) => {
      insist(realm)
      finish.run(head, head, realm.id)
    })
  } catch (error) {
    await session
      .writing((_, { id, importing }) => {
        if (importing !== mine) return
        clear.run(id)
        mark.run(null, id)
      })
      .catch(() => undefined)
    throw error
  }
}

function rowOf({ key, value, created, modified }: Entry) {
  const text = JSON.stringify(value)
  return { key, text, created, modified, size: text.length }
}
