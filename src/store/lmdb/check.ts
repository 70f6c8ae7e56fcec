import { checkParts, type RealmCheck } from '../files/realm-check.ts'
import * as layout from './layout.ts'
import type { Session } from './session.ts'

/** Reads everything in one snapshot and says what is damaged. */
export const checkRealm = (session: Session): Promise<RealmCheck> =>
  session.reading((within) => {
    const { tables, number } = session
    const { entries, unchecked } = tables
    const head = number(layout.headKey, within)
    const floor = number(layout.floorKey, within)
    return checkParts({
      head,
      floor,
      count: countOf(entries),
      entries: stored(),
      commits: layout.commitsAfter(tables, floor, head, within),
    })

    function* stored() {
      for (const { key: bytes, value } of entries.getRange({ ...within })) {
        const key = bytes.toString('utf8')
        yield {
          key,
          checked: layout.isChecked(value),
          read: () => layout.entryOf(key, value, unchecked),
        }
      }
    }
  })

/** What the engine's own record of a table counts. */
const countOf = (table: layout.Table): number | undefined => {
  const { entryCount } = table.getStats() as { readonly entryCount?: number }
  return entryCount
}
