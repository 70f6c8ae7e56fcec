import type { FileSnapshot } from '../files/file-snapshot.ts'
import * as layout from './layout.ts'
import { findPageFault } from './pages.ts'
import type { Session } from './session.ts'

/** The realm as one of the engine's read transactions shows it. */
export function snapshotIn({ path, tables, number }: Session, within: layout.Within): FileSnapshot {
  const { entries, unchecked } = tables
  const head = number(layout.headKey, within)
  return {
    head,
    get floor() {
      return number(layout.floorKey, within)
    },
    get: (key) => {
      const bytes = entries.get(layout.keyBytes(key), within)
      if (bytes !== undefined) return layout.entryOf(key, bytes, unchecked)
      layout.insistAbsent(tables, key, within)
      return undefined
    },
    scan: (range) => layout.scanTable(tables, range, within),
    commitsAfter: (after) => layout.commitsAfter(tables, after, head, within),
    *entries() {
      for (const { key: bytes, value } of entries.getRange({ ...within })) {
        const key = bytes.toString('utf8')
        yield {
          key,
          checked: layout.isChecked(value),
          read: () => layout.entryOf(key, value, unchecked),
        }
      }
    },
    structuralFaults: async () => {
      const fault = await findPageFault(path)
      return fault === undefined ? [] : [`${fault}: restore a backup`]
    },
    count: () => (entries.getStats() as { readonly entryCount?: number }).entryCount,
  }
}
