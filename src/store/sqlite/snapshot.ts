import type { FileSnapshot } from '../files/file-snapshot.ts'
import { StoreError } from '../port/errors.ts'
import type { Entry, Rev } from '../port/port.ts'
import { boundsOf } from '../port/range-bounds.ts'
import type { Connection } from './connection.ts'
import { readEntry } from './large-values.ts'
import type { Session } from './session.ts'
import { type EntryRow, keysOf } from './statements.ts'

/** How many rows are read at once. */
const page = 512

/** The realm as a connection shows it that stays on one snapshot. */
export function snapshotOn(session: Session, { database, sql }: Connection): FileSnapshot {
  const realm = session.realm(sql)
  const { id, floor } = realm
  const head = session.head(realm)
  return {
    head,
    floor,
    get: (key) => {
      const row = sql.entry(id, key)
      return row && readEntry(sql, row)
    },
    scan: async (range) => {
      const { limit = -1, reverse = false, keysOnly } = range
      if (keysOnly === true && !reverse) return sql.scanKeys(id, boundsOf(range), limit)
      const entries: Entry[] = []
      for (const row of sql.scan(id, boundsOf(range), limit, reverse)) {
        const entry = readEntry(sql, row)
        entries.push(entry instanceof Promise ? await entry : entry)
      }
      return entries
    },
    *commitsAfter(after) {
      let rev = after
      while (rev < head) {
        const rows = sql.log(id, rev, page)
        if (rows.length === 0) throw gap(head)
        for (const row of rows) {
          if (row.rev !== rev + 1) throw gap(row.rev)
          rev = row.rev
          yield { rev, keys: keysOf(row) }
        }
      }
    },
    *entries() {
      let low = ''
      for (;;) {
        const rows: readonly EntryRow[] = sql.scan(id, { low, high: undefined }, page, false)
        for (const row of rows) yield { key: row.key, read: () => readEntry(sql, row) }
        const last = rows.at(-1)
        if (last === undefined) return
        // The next possible key: no key contains U+0000.
        low = `${last.key}\u0001`
      }
    },
    structuralFaults: async () => {
      // Each row has one column, a sentence: "ok", or a fault.
      const found = database.prepare('pragma integrity_check(50)').all() as {
        readonly integrity_check: string
      }[]
      return found.map((row) => row.integrity_check).filter((sentence) => sentence !== 'ok')
    },
  }
}

const gap = (rev: Rev) =>
  new StoreError('corrupt', `the log of past commits has a gap before revision ${rev}: restore a backup`)
