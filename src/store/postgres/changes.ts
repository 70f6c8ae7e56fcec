import { StoreError } from '../port/errors.ts'
import type { Changes, Entry, Json, Rev, Since } from '../port/port.ts'
import { arrayOf } from './arrays.ts'
import type { Row } from './driver.ts'
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
  const [first] = rows
  const changes = changesIn(rows, after)
  if (changes !== undefined) return changes
  session.news.forget()
  const [floor, head] = [first?.['floor'], first?.['head']].map(Number)
  throw new StoreError(
    'compacted',
    `revision ${after} is not in the remembered ${floor} to ${head}: read the state again`,
  )
}

/**
 * The changes after a revision, from the rows of `changes_since`; `undefined` if the revision is not among those that are
 * remembered. A value that this process wrote is not in its row.
 */
export function changesIn(
  rows: readonly Row[],
  after: Rev,
  written: (key: string, rev: Rev) => Json = () => null,
): Changes | undefined {
  const [first, ...changed] = rows
  const head = Number(first?.['head'] ?? 0)
  const rev = Number(first?.['page'] ?? head)
  if (after < Number(first?.['floor'] ?? 0) || after > head) return undefined
  const put: Entry[] = []
  const gone = new Set<string>()
  for (const row of changed) {
    const key = String(row['key'])
    if (row['modified'] === null) gone.add(key)
    else if (row['value'] !== null) put.push(entryOf(row))
    else {
      const modified = Number(row['modified'])
      put.push({ key, value: written(key, modified), created: Number(row['created']), modified })
    }
  }
  return { rev, put, gone: [...gone], more: rev < head }
}
