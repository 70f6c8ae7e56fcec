import { checkImported } from '../check.ts'
import { StoreError } from '../errors.ts'
import type { Entry, Rev } from '../port.ts'
import { causeOf, explain } from './errors.ts'
import * as layout from './layout.ts'
import { floorKey, headKey, type Session } from './session.ts'

/** Fills an empty realm, whole or not at all. */
export async function importAll(session: Session, source: AsyncIterable<Entry>, head: Rev): Promise<void> {
  const { tables, path, number } = session
  const { root, meta, entries } = tables
  // Held until the end: LMDB's write transaction cannot span turns, and an import is whole or not at all.
  const rows = new Map<string, Buffer>()
  for await (const entry of source) {
    checkImported(entry, head)
    if (rows.has(entry.key)) throw new StoreError('invalid', `imported twice: ${JSON.stringify(entry.key)}`)
    rows.set(entry.key, layout.entryBytes(entry.value, entry.created, entry.modified))
  }
  const filled = await root
    .transaction(() => {
      const present = number(headKey)
      if (present > 0) return present
      for (const [key, bytes] of rows) entries.putSync(layout.keyBytes(key), bytes)
      meta.putSync(headKey, layout.revKey(head))
      meta.putSync(floorKey, layout.revKey(head))
      return 0
    })
    .catch(async (error: unknown) => {
      throw explain(await causeOf(error), path, 'unknown')
    })
  if (filled > 0) throw new StoreError('not_empty', `an import needs an empty realm; ${path} is at ${filled}`)
}
