import type { FileSnapshot } from '../files/file-snapshot.ts'
import * as layout from './layout.ts'
import type { Session } from './session.ts'

/** The realm as one of the engine's read transactions shows it. */
export function snapshotIn({ tables, number }: Session, within: layout.Within): FileSnapshot {
  const { entries, unchecked } = tables
  const head = number(layout.headKey, within)
  return {
    head,
    get floor() {
      return number(layout.floorKey, within)
    },
    get: (key) => {
      const bytes = entries.get(layout.keyBytes(key), within)
      return bytes === undefined ? undefined : layout.entryOf(key, bytes, unchecked)
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
    count: () => (entries.getStats() as { readonly entryCount?: number }).entryCount,
  }
}
