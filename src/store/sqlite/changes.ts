import { isBelow } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import type { Changes, Entry, Since } from '../port/port.ts'
import type { Session } from './session.ts'
import { entryOf, keysOf, type Statements } from './statements.ts'

/** How much of the log is read at once. */
const logPage = 512

/** What changed since a revision, in one snapshot. */
export function collect(session: Session, sql: Statements, since: Since): Changes {
  const { after, prefixes, limit = Number.POSITIVE_INFINITY } = since
  const head = session.head(sql)
  const { id, floor } = session.realm(sql)
  if (after < floor || after > head)
    throw new StoreError(
      'compacted',
      `revision ${after} is not in the remembered ${floor} to ${head}: read anew`,
    )
  const changed = new Set<string>()
  let rev = after
  const isFull = () => changed.size >= limit && rev > after
  while (rev < head && !isFull())
    for (const row of readOn(rev)) {
      if (isFull()) break
      for (const key of keysOf(row)) if (isBelow(key, prefixes)) changed.add(key)
      rev = row.rev
    }
  const put: Entry[] = []
  const gone: string[] = []
  for (const key of changed) {
    const row = sql.entry(id, key)
    if (row === undefined) gone.push(key)
    else put.push(entryOf(row))
  }
  return { rev, put, gone, more: rev < head }

  /** The next commits of the log, which has no gaps. */
  function readOn(from: number) {
    const rows = sql.log(id, from, logPage)
    for (const [at, row] of rows.entries()) if (row.rev !== from + 1 + at) throw gap(row.rev)
    if (rows.length === 0) throw gap(head)
    return rows
  }
}

const gap = (rev: number) =>
  new StoreError('corrupt', `the memory of past commits has a gap before revision ${rev}: restore a backup`)
