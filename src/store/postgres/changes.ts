import { StoreError } from '../port/errors.ts'
import type { Changes, Entry, Rev, Since } from '../port/port.ts'
import { arrayOf } from './arrays.ts'
import { questionsOf } from './retries.ts'
import type { Session } from './session.ts'
import { entryOf } from './statements.ts'

/** The revision of the newest commit. */
export async function headOf(session: Session): Promise<Rev> {
  const [row] = await questionsOf(session)(session.sql.head, [session.realm], 'head')
  return Number(row?.['rev'] ?? 0)
}

/** The current changes since a revision. */
export async function collect(session: Session, since: Since): Promise<Changes> {
  const { after, prefixes, limit } = since
  const rows = await questionsOf(session)(
    session.sql.changes,
    [session.realm, after, Math.max(1, limit ?? 1_000_000_000), arrayOf(prefixes)],
    'changes',
  )
  const [first, ...changed] = rows
  const head = Number(first?.['head'] ?? 0)
  const floor = Number(first?.['floor'] ?? 0)
  const rev = Number(first?.['page'] ?? head)
  if (after < floor || after > head)
    throw new StoreError(
      'compacted',
      `revision ${after} is not in the remembered ${floor} to ${head}: read the state again`,
    )
  const put: Entry[] = []
  const gone: string[] = []
  for (const row of changed) {
    if (row['modified'] === null) gone.push(String(row['key']))
    else put.push(entryOf(row))
  }
  return { rev, put, gone, more: rev < head }
}
