import { systemNow } from '../../kernel/system-env.ts'
import { entryChecksum, recordChecksum } from '../files/checksum.ts'
import { StoreError } from '../port/errors.ts'
import { shown } from '../port/keys.ts'
import type { Entry, Rev } from '../port/port.ts'
import type { Bounds } from '../port/range-bounds.ts'
import { parseStored } from '../port/stored-value.ts'
import type { SqliteDatabase } from './driver.ts'

/** A realm's own row. */
export interface RealmRow {
  readonly id: number
  /** The head while the log is empty. */
  readonly base: Rev
  readonly floor: Rev
  /** The newest revision of the log; null if it is empty. */
  readonly newest: Rev | null
  /** 1 if refusals are remembered. */
  readonly refuses: number
  /** The id of an import in progress or interrupted. */
  readonly importing: string | null
  /** 1 if the file has large values to delete. */
  readonly sheds: number
}

export interface LogRow {
  readonly rev: Rev
  readonly id: string
  readonly keys: string
  readonly crc: number
}

export interface EntryRow {
  readonly key: string
  readonly value: string
  readonly created: Rev
  readonly modified: Rev
  readonly crc: number
}

/** A reference to a large value, which stands in its entry instead of the text: no JSON begins with `@`. */
export interface Reference {
  readonly large: number
  readonly pieces: number
  /** CRC-32 of the text. */
  readonly crc: number
}

export const referenceText = ({ large, pieces, crc }: Reference): string => `@${large} ${pieces} ${crc}`

/** The reference that a text is; `undefined` if it is the JSON of a value. */
export function referenceIn(text: string): Reference | undefined {
  if (!text.startsWith('@')) return undefined
  const [large = 0, pieces = 0, crc = 0] = text.slice(1).split(' ').map(Number)
  return { large, pieces, crc }
}

type Prepare = SqliteDatabase['prepare']

/** Columns of some keys, each a JSON array. */
type KeyColumns = Readonly<Record<'keys' | 'created' | 'modified', string>>

/** The maximum number of keys in one text. */
const keysAtOnce = 10_000

/** Reads columns of the entries of a range, in the order of their keys. */
function rangeOf(prepare: Prepare, columns: string, order: '' | 'desc', within = (rows: string) => rows) {
  const select = `select ${columns} from entries where realm = ? and key >= ?`
  const open = prepare(within(`${select} order by key ${order} limit ?`))
  const closed = prepare(within(`${select} and key < ? order by key ${order} limit ?`))
  return (id: number, { low, high }: Bounds, limit: number) =>
    high === undefined ? open.all(id, low, limit) : closed.all(id, low, high, limit)
}

/** Reads the keys of a range without their values, a text for each column: drivers take longer to make a row each. */
function keysIn(prepare: Prepare) {
  const range = rangeOf(
    prepare,
    'key, created, modified',
    '',
    (rows) => `select json_group_array(key) as keys, json_group_array(created) as created,
      json_group_array(modified) as modified from (${rows})`,
  )
  return (id: number, { low, high }: Bounds, limit: number): Entry[] => {
    const found: Entry[] = []
    for (let from = low; ; ) {
      const size = limit < 0 ? keysAtOnce : Math.min(keysAtOnce, limit - found.length)
      const [page] = range(id, { low: from, high }, size) as KeyColumns[]
      if (page === undefined) return found
      const keys = JSON.parse(page.keys) as string[]
      const created = JSON.parse(page.created) as Rev[]
      const modified = JSON.parse(page.modified) as Rev[]
      for (const [at, key] of keys.entries())
        found.push({ key, value: null, created: created[at] ?? 0, modified: modified[at] ?? 0 })
      const last = keys.at(-1)
      if (last === undefined || keys.length < keysAtOnce) return found
      // The next possible key: no key contains U+0000.
      from = `${last}\u0001`
    }
  }
}

/** How long the pieces of a value wait for the commit that refers to them: their process may have been suspended. */
export const unfinishedMs = 3_600_000

/** The places that the pieces of one value may have. */
const placesPerValue = 1_000

/** The statements for the pieces of large values. */
function pieceStatements(prepare: Prepare) {
  const begin = prepare('insert into loose (since) values (?)')
  const begun = prepare('select last_insert_rowid() as large')
  const isBegun = prepare('select 1 from loose where large = ? and since > 0')
  const add = prepare('insert into pieces (id, text) values (?, ?)')
  const one = prepare('select text from pieces where id = ?')
  const settle = prepare('delete from loose where large = ?')
  const abandon = prepare('update loose set since = 0 where large = ?')
  const abandonOld = prepare('update loose set since = 0 where since between 1 and ?')
  const abandoned = prepare('select large from loose where since = 0 limit 1')
  const some = prepare('select 1 from pieces where id between ? and ? limit 1')
  const remove = prepare(
    'delete from pieces where id in (select id from pieces where id between ? and ? limit ?)',
  )
  const idOf = (large: number, place: number) => large * placesPerValue + place
  const endsOf = (large: number) => [idOf(large, 0), idOf(large, placesPerValue - 1)] as const
  const insistBegun = (large: number) => {
    if (read(isBegun.get(large)) === undefined)
      throw new StoreError('unknown', 'a large value took too long to write: submit the commit again')
  }
  return {
    /** Begins a value, and returns its number. */
    begin: (since: number) => {
      begin.run(since)
      return read<{ large: number }>(begun.get())?.large ?? 0
    },
    /** Adds a piece to a value that was begun. Throws if it was given up meanwhile. */
    add: (large: number, place: number, text: string) => {
      insistBegun(large)
      add.run(idOf(large, place), text)
    },
    /** Ends a value that was begun: an entry refers to it. Throws if it was given up meanwhile. */
    finish: (large: number) => {
      insistBegun(large)
      settle.run(large)
    },
    text: (large: number, place: number) => read<{ text: string }>(one.get(idOf(large, place)))?.text,
    /** Gives up a value that no entry refers to. */
    abandon: (large: number) => abandon.run(large),
    /** The same for those that were begun until an instant. */
    abandonOld: (until: number) => abandonOld.run(until),
    /** Deletes some pieces of a value that was given up, or replaced; false if there is none. */
    removeSome: (most: number) => {
      const large = read<{ large: number }>(abandoned.get())?.large
      if (large === undefined) return false
      remove.run(...endsOf(large), most)
      if (read(some.get(...endsOf(large))) === undefined) settle.run(large)
      return true
    },
  }
}

// The columns are named in the statements, and their types checked by the engine. The driver of Bun has `null` for no row.
const read = <Row>(row: unknown) => (row ?? undefined) as Row | undefined

/** The statements of a connection, prepared once. */
export type Statements = ReturnType<typeof statementsOf>

export function statementsOf(database: SqliteDatabase) {
  const prepare: Prepare = (sql) => database.prepare(sql)
  const columns = 'key, value, created, modified, crc'
  const entries = { up: rangeOf(prepare, columns, ''), down: rangeOf(prepare, columns, 'desc') }
  const one = prepare(`select ${columns} from entries where realm = ? and key = ?`)
  const modified = prepare('select modified from entries where realm = ? and key = ?')
  const existing = prepare(`select created, iif(value >= '@' and value < 'A', 1, 0) as large
    from entries where realm = ? and key = ?`)
  const put = prepare(`insert into entries (realm, ${columns}) values (?, ?, ?, ?, ?, ?)
    on conflict (realm, key) do update set value = excluded.value, modified = excluded.modified, crc = excluded.crc`)
  const remove = prepare('delete from entries where realm = ? and key = ?')
  // In one statement: each costs a commit more than what it asks for.
  const realm = prepare(`select id, base, floor, importing,
    (select max(rev) from log where log.realm = realms.id) as newest,
    exists (select 1 from refusals where refusals.realm = realms.id) as refuses,
    exists (select 1 from loose where since < ?) as sheds
    from realms where name = ?`)
  const logged = prepare(
    'select rev, id, keys, crc from log where realm = ? and rev > ? order by rev limit ?',
  )
  const append = prepare('insert into log (realm, rev, id, keys, crc) values (?, ?, ?, ?, ?)')
  const idAt = prepare('select id from log where realm = ? and rev = ?')
  const refused = prepare('select rev, stale from refusals where realm = ? and id = ?')
  const refuse = prepare('insert into refusals (realm, id, rev, stale) values (?, ?, ?, ?)')
  const forgetLog = prepare('delete from log where realm = ? and rev <= ?')
  const forgetRefusals = prepare('delete from refusals where realm = ? and rev <= ?')
  const raiseFloor = prepare('update realms set floor = ? where id = ?')
  let prepared: ReturnType<typeof pieceStatements> | undefined
  const pieces = () => {
    prepared ??= pieceStatements(prepare)
    return prepared
  }
  return {
    /** Those for large values, which few connections need. */
    pieces,
    realm: (name: string) => read<RealmRow>(realm.get(systemNow() - unfinishedMs, name)),
    entry: (id: number, key: string) => read<EntryRow>(one.get(id, key)),
    modified: (id: number, key: string): Rev => read<{ modified: Rev }>(modified.get(id, key))?.modified ?? 0,
    existing: (id: number, key: string) => read<{ created: Rev; large: number }>(existing.get(id, key)),
    scan: (id: number, bounds: Bounds, limit: number, reverse: boolean) =>
      (reverse ? entries.down : entries.up)(id, bounds, limit) as EntryRow[],
    /** The same without values, and so without checksums, upwards. */
    scanKeys: keysIn(prepare),
    put: (id: number, key: string, value: string, created: Rev, rev: Rev) =>
      put.run(id, key, value, created, rev, entryChecksum(key, value, created, rev)),
    remove: (id: number, key: string) => remove.run(id, key),
    log: (id: number, after: Rev, limit: number) => (logged.all(id, after, limit) as LogRow[]).map(intact),
    append: (id: number, rev: Rev, commit: string, keys: string) =>
      append.run(id, rev, commit, keys, logChecksum(rev, commit, keys)),
    idOf: (id: number, rev: Rev) => read<{ id: string }>(idAt.get(id, rev))?.id,
    refused: (id: number, commit: string) => read<{ rev: Rev; stale: string }>(refused.get(id, commit)),
    refuse: (id: number, commit: string, rev: Rev, stale: string) => refuse.run(id, commit, rev, stale),
    forget: (id: number, until: Rev) => {
      forgetLog.run(id, until)
      forgetRefusals.run(id, until)
      raiseFloor.run(until, id)
    },
  }
}

const logChecksum = (rev: Rev, commit: string, keys: string): number =>
  recordChecksum(`${rev} ${commit}`, keys)

/** The text of an entry as it was written. */
export function intactText({ key, value, created, modified, crc }: EntryRow): string {
  if (entryChecksum(key, value, created, modified) !== crc) throw damaged(key)
  return value
}

/** An entry from its row, and from the text of its value. */
export const entryOf = ({ key, created, modified }: EntryRow, text: string): Entry => ({
  key,
  value: parseStored(key, text),
  created,
  modified,
})

export const damaged = (key: string) =>
  new StoreError('corrupt', `the value of ${shown(key)} is damaged: restore a backup`)

function intact(row: LogRow): LogRow {
  const { rev, id, keys, crc } = row
  if (logChecksum(rev, id, keys) !== crc)
    throw new StoreError('corrupt', 'the log of past commits is damaged: restore a backup')
  return row
}

/** The keys that a commit wrote. */
export const keysOf = ({ keys }: LogRow): readonly string[] =>
  // Written by a commit, and undamaged.
  JSON.parse(keys) as string[]
