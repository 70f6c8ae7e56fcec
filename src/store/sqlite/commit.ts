import { learnedAtOnce, type RememberedIds, rememberedIds } from '../files/remembered-ids.ts'
import type { Commit, Rev, Verdict } from '../port/port.ts'
import { pieceUnits, sweeping, type Texts, withTexts } from './large-values.ts'
import type { Session } from './session.ts'
import { type RealmRow, referenceIn, type Statements } from './statements.ts'

/** The number of commits beyond the remembered ones that accumulate before they are deleted together. */
const forgottenAtOnce = 32

/** Commits, and the texts of their values if those are not made in the transaction. */
interface Batch {
  readonly commits: readonly Commit[]
  readonly texts?: Texts | undefined
}

interface Judged {
  readonly verdicts: readonly (readonly Verdict[])[]
  /** Accepted ids in order, and their revisions. */
  readonly accepted: ReadonlyMap<string, Rev>
  /** Whether there are large values to delete. */
  readonly sheds: boolean
}

/**
 * Submits batches. Those of one turn of the event loop share a transaction, and with it a sync: the driver is
 * synchronous, so that each transaction blocks the whole process.
 */
export function committing(
  session: Session,
  remember: number,
): (batch: readonly Commit[], bytes: number) => Promise<readonly Verdict[]> {
  const ids = rememberedIds()
  const sweep = sweeping(session)
  let queue: Batch[] = []
  let transaction: Promise<readonly (readonly Verdict[])[]> | undefined
  let learned: Promise<void> | undefined
  const take = () => {
    const batches = queue
    queue = []
    transaction = undefined
    return batches
  }
  const flush = async (taken: () => readonly Batch[]) => {
    let batches: readonly Batch[] | undefined
    let known = ids.newest
    try {
      return await session.writing({
        run: (sql, row) => {
          batches ??= taken()
          known = ids.newest
          return judgeAll(sql, row, session.head(row), ids, batches, remember)
        },
        written: ({ verdicts, accepted, sheds }) => {
          if (sheds) sweep([])
          // Those that a later job of the transaction has read in the log are known.
          for (const [id, rev] of accepted) if (rev > ids.newest.rev) ids.add(id, rev)
          return verdicts
        },
        undone: () => {
          // It may have learned commits of other handles in the same transaction.
          if (ids.newest !== known) ids.reset()
        },
      })
    } finally {
      // It never ran.
      if (batches === undefined) taken()
    }
  }
  const submit = async (commits: readonly Commit[]) => {
    const place = queue.push({ commits }) - 1
    transaction ??= flush(take)
    // There is one list of verdicts per batch, in order.
    return (await transaction)[place] as readonly Verdict[]
  }
  return async (commits, bytes) => {
    // An error while reading the log fails the commit, which reports it.
    learned ??= learnAll(session, ids).catch(() => undefined)
    await learned
    if (bytes <= pieceUnits) return submit(commits)
    // A job of its own: if its pieces were given up, the others of its turn do not fail with it.
    return withTexts(session, commits, sweep, async (texts) => {
      const [verdicts] = await flush(() => [{ commits, texts }])
      return verdicts as readonly Verdict[]
    })
  }
}

/** Reads the log before the first commit, in slices that let the event loop continue. */
async function learnAll(session: Session, ids: RememberedIds): Promise<void> {
  for (;;) {
    const isWhole = await session.reading(({ sql }) => {
      const realm = session.realm(sql)
      return learn(sql, ids, realm.id, session.head(realm), realm.floor, learnedAtOnce)
    })
    if (isWhole) return
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** Reads commits of the log that are not known yet: those of other handles, if any. Returns whether all are known. */
function learn(
  sql: Statements,
  ids: RememberedIds,
  realm: number,
  head: Rev,
  floor: Rev,
  most = Number.MAX_SAFE_INTEGER,
): boolean {
  if (ids.newest.rev > head) ids.reset()
  const after = Math.max(ids.newest.rev, floor)
  if (after < head) for (const { rev, id } of sql.log(realm, after, most)) ids.add(id, rev)
  ids.forget(floor)
  return Math.max(ids.newest.rev, floor) >= head
}

function judgeAll(
  sql: Statements,
  { id: realm, floor, refuses, sheds }: RealmRow,
  before: Rev,
  ids: RememberedIds,
  batches: readonly Batch[],
  remember: number,
): Judged {
  let hasRefused = refuses === 1
  learn(sql, ids, realm, before, floor)
  let head = before
  const accepted = new Map<string, Rev>()
  const verdicts = batches.map(({ commits, texts }) =>
    commits.map((commit) => {
      const past =
        pastRevision(sql, ids, accepted, realm, commit.id) ??
        (hasRefused ? pastRefusal(sql, realm, commit.id) : undefined)
      if (past !== undefined) return past
      const verdict = judge(sql, realm, commit, texts, head)
      hasRefused ||= !verdict.ok
      if (verdict.ok) {
        head = verdict.rev
        accepted.set(commit.id, head)
      }
      return verdict
    }),
  )
  const until = head - remember
  if (head > before && until >= floor + forgottenAtOnce)
    // A few at a time, so that no single write pays for all of them.
    sql.forget(realm, Math.min(until, floor + forgottenAtOnce + 2 * (head - before)))
  return { verdicts, accepted, sheds: sheds === 1 }
}

/** The remembered revision of an accepted id. */
function pastRevision(
  sql: Statements,
  ids: RememberedIds,
  accepted: ReadonlyMap<string, Rev>,
  realm: number,
  id: string,
): Verdict | undefined {
  const now = accepted.get(id)
  if (now !== undefined) return { ok: true, rev: now }
  for (const rev of ids.find(id)) if (sql.idOf(realm, rev) === id) return { ok: true, rev }
  return undefined
}

/** The remembered refusal of an id. */
function pastRefusal(sql: Statements, realm: number, id: string): Verdict | undefined {
  const refused = sql.refused(realm, id)
  // Written below.
  return refused && { ok: false, rev: refused.rev, stale: JSON.parse(refused.stale) as string[] }
}

function judge(sql: Statements, realm: number, commit: Commit, texts: Texts | undefined, head: Rev): Verdict {
  const stale: string[] = []
  for (const { key, rev } of commit.expect ?? []) if (sql.modified(realm, key) !== rev) stale.push(key)
  if (stale.length > 0) {
    if (commit.again === true) sql.refuse(realm, commit.id, head, JSON.stringify(stale))
    return { ok: false, rev: head, stale }
  }
  const rev = head + 1
  const keys: string[] = []
  const write = (key: string, text: string) => {
    const before = sql.existing(realm, key)
    if (before?.large === 1) sql.remove(realm, key)
    const reference = referenceIn(text)
    if (reference) sql.pieces().finish(reference.large)
    sql.put(realm, key, text, before?.created ?? rev, rev)
    keys.push(key)
  }
  const made = texts?.get(commit)
  for (const { key, value } of commit.put ?? []) write(key, made?.get(key) ?? JSON.stringify(value))
  for (const key of commit.touch ?? []) write(key, 'null')
  for (const key of commit.del ?? []) {
    sql.remove(realm, key)
    keys.push(key)
  }
  sql.append(realm, rev, commit.id, JSON.stringify(keys))
  return { ok: true, rev }
}
