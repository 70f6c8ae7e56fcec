import { checkParts, type RealmCheck } from '../files/realm-check.ts'
import type { Session } from './session.ts'
import { type EntryRow, entryOf, keysOf, type Statements } from './statements.ts'

/** How much is read at once. */
const page = 512

/** Lets the engine look at the structure of the file, reads the realm in one snapshot, and says what is damaged. */
export const checkRealm = (session: Session): Promise<RealmCheck> =>
  session.reading(async ({ database, sql }) => {
    const head = session.head(sql)
    const { id, floor } = session.realm(sql)
    const found = await checkParts({
      head,
      floor,
      count: undefined,
      entries: stored(sql, id),
      commits: logged(sql, id, floor),
    })
    // Each row has one column, a sentence: "ok", or what is wrong.
    const engine = database.prepare('pragma integrity_check(50)').all() as {
      readonly integrity_check: string
    }[]
    const faults = engine.map((row) => row.integrity_check).filter((sentence) => sentence !== 'ok')
    return { ...found, faults: [...found.faults, ...faults] }
  })

function* stored(sql: Statements, realm: number) {
  let low = ''
  for (;;) {
    const rows: readonly EntryRow[] = sql.scan(realm, { low, high: undefined }, page, false)
    for (const row of rows) yield { key: row.key, checked: true, read: () => entryOf(row) }
    const last = rows.at(-1)
    if (last === undefined) return
    // The least key behind it: no key has U+0000.
    low = `${last.key}\u0001`
  }
}

function* logged(sql: Statements, realm: number, floor: number) {
  let rev = floor
  for (;;) {
    const rows = sql.log(realm, rev, page)
    for (const row of rows) {
      yield { rev: row.rev, keys: keysOf(row) }
      rev = row.rev
    }
    if (rows.length === 0) return
  }
}
