import { systemEnv } from '../../kernel/system-env.ts'
import { importBatches } from '../files/import-batches.ts'
import { StoreError } from '../port/errors.ts'
import type { Entry, Rev } from '../port/port.ts'
import * as layout from './layout.ts'
import { inTransaction } from './newest-transaction.ts'
import type { Session } from './session.ts'

/** The maximum size of one transaction of an import, which the engine keeps in memory. */
const atOnce = { entries: 2_000, bytes: 4 * 1024 * 1024 }

/**
 * Fills an empty realm in several transactions. Until the last one the head is not a revision but the id of the import,
 * so that no process reads or writes an incomplete realm, even after a crash; another import then starts over.
 */
export async function importAll(session: Session, source: AsyncIterable<Entry>, head: Rev): Promise<void> {
  const { tables, path, number } = session
  const { root, log, entries } = tables
  const mine = Buffer.from(`importing ${systemEnv().newId('import')}`)
  const inOne = <T>(work: () => T): Promise<T> => inTransaction(root, path, work)
  const isMine = () => log.get(layout.headKey)?.equals(mine) === true
  const insist = () => {
    if (!isMine()) throw new StoreError('locked', `another import into ${path} has taken over from this one`)
  }

  const present = await inOne(() => {
    const before = log.get(layout.headKey)
    const isBroken = before !== undefined && !layout.isNumber(before)
    if (isBroken) entries.clearSync()
    else if (number(layout.headKey) > 0) return number(layout.headKey)
    log.putSync(layout.headKey, mine)
    return 0
  })
  if (present > 0)
    throw new StoreError('not_empty', `an import needs an empty realm; ${path} is at ${present}`)
  // The greatest key so far, while keys arrive in order, as from a backup: appending fills pages, inserting half empties
  // them.
  let last: Buffer | undefined = Buffer.alloc(0)
  try {
    for await (const rows of importBatches(source, head, atOnce, rowOf))
      await inOne(() => {
        insist()
        for (const { key, bytes } of rows) {
          const at = layout.keyBytes(key)
          last = last !== undefined && last.compare(at) < 0 ? at : undefined
          if (last === undefined && entries.doesExist(at))
            throw new StoreError('invalid', `imported twice: ${JSON.stringify(key)}`)
          entries.putSync(at, bytes, { append: last !== undefined })
        }
      })
    await inOne(() => {
      insist()
      log.putSync(layout.headKey, layout.numberBytes(layout.headKey, head))
      log.putSync(layout.floorKey, layout.numberBytes(layout.floorKey, head))
    })
  } catch (error) {
    await inOne(() => {
      if (!isMine()) return
      entries.clearSync()
      log.removeSync(layout.headKey)
    }).catch(() => undefined)
    throw error
  }
}

function rowOf({ key, value, created, modified }: Entry) {
  const bytes = layout.entryBytes(key, value, created, modified)
  return { key, bytes, size: bytes.length }
}
