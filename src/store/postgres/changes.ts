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
  const news = session.news()
  const rows = await questionsOf(session)(
    session.sql.changes,
    [session.realm, after, Math.max(1, limit ?? 1_000_000_000), arrayOf(prefixes)],
    'changes',
  )
  const head = Number(rows[0]?.['head'] ?? 0)
  const floor = Number(rows[0]?.['floor'] ?? 0)
  if (after < floor || after > head)
    throw new StoreError(
      'compacted',
      `revision ${after} is not in the remembered ${floor} to ${head}: read the state again`,
    )
  const put: Entry[] = []
  const gone: string[] = []
  for (const row of rows) {
    if (typeof row['key'] !== 'string') continue
    if (row['modified'] === null) gone.push(row['key'])
    else put.push(entryOf(row))
  }
  const rev = Number(rows[0]?.['page'] ?? head)
  if (rev === head) session.seen = { rev, news }
  return { rev, put, gone, more: rev < head }
}

/**
 * The changes since a revision, once there are any, or the wait is over. Commits of this store are announced
 * immediately, those of others by notifications and polling. Changes are then queried directly, without asking first
 * whether there are any: each process that follows a realm pays for every query.
 */
export async function collectWaiting(
  session: Session,
  pollMs: () => number,
  since: Since & { readonly waitMs: number },
): Promise<Changes> {
  const { after, waitMs, signal, background } = since
  const { timers, waiting, isClosed } = session
  let over = waitMs <= 0
  const end = () => {
    over = true
    waiting.wake()
  }
  const stop = over ? () => {} : timers.after(waitMs, end, { hold: background !== true })
  const isOver = () => over || isClosed() || signal?.aborted === true
  try {
    while (!isOver()) {
      // A commit during the query is not missed: the wait begins before the query.
      const woken = waiting.wait(pollMs(), signal, isOver)
      if (session.seen.rev !== after || session.seen.news !== session.news()) {
        const page = await collect(session, since)
        if (page.rev !== after) return page
      }
      const { news } = session.seen
      await woken
      // No commit was announced, but another process may have committed.
      if (!isOver() && news === session.news() && (await headOf(session)) !== after) break
    }
  } finally {
    stop()
  }
  session.isOpen()
  return collect(session, since)
}
