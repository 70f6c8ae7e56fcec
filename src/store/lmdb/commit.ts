import { learnedAtOnce, type RememberedIds, rememberedIds } from '../files/remembered-ids.ts'
import type { Commit, Entry, Rev, Verdict } from '../port/port.ts'
import * as layout from './layout.ts'
import { inTransaction } from './newest-transaction.ts'
import type { Session } from './session.ts'

interface Judged {
  readonly verdicts: readonly Verdict[][]
  /** The previous head. */
  readonly before: Rev
  /** Accepted ids in order, and their revisions. */
  readonly accepted: ReadonlyMap<string, Rev>
}

/**
 * Submits batches; those that wait for the same transaction of the engine are decided together, which reads and writes
 * the head once.
 */
export function committing(
  session: Session,
  remember: number,
): (batch: readonly Commit[]) => Promise<readonly Verdict[]> {
  const { path, tables } = session
  let queue: (readonly Commit[])[] = []
  let transaction: Promise<readonly Verdict[][]> | undefined
  const ids = rememberedIds()
  const forgetQueue = () => {
    queue = []
    transaction = undefined
  }
  let learned: Promise<void> | undefined
  return async (batch) => {
    // An error while reading the log fails the commit, which reports it.
    learned ??= learnAll(session, ids).catch(() => undefined)
    await learned
    const place = queue.push(batch) - 1
    transaction ??= inTransaction(tables.root, path, () => {
      const batches = queue
      forgetQueue()
      return judgeAll(session, ids, batches, remember)
    }).then(({ verdicts, before, accepted }) => {
      // Another transaction may have begun since, and read these itself.
      if (ids.newest.rev === before) for (const [id, rev] of accepted) ids.add(id, rev)
      return verdicts
    })
    const mine = transaction
    try {
      // The expectations of commits in the queue are told apart by their position.
      const verdicts = (await mine)[place] as Verdict[]
      for (const { ok, rev } of verdicts) if (ok) session.saw(rev)
      return verdicts
    } catch (error) {
      // It may have failed before it took the queue.
      if (transaction === mine) forgetQueue()
      throw error
    }
  }
}

function judgeAll(
  session: Session,
  ids: RememberedIds,
  batches: readonly (readonly Commit[])[],
  remember: number,
): Judged {
  const { tables, number } = session
  const before = number(layout.headKey)
  const floor = number(layout.floorKey)
  learn(session, ids, before, floor)
  let head = before
  let commits = 0
  const accepted = new Map<string, Rev>()
  const verdicts = batches.map((batch) =>
    batch.map((commit) => {
      const past = pastVerdict(tables, ids, accepted, commit.id)
      const verdict = past ?? judge(tables, commit, head)
      if (past === undefined && verdict.ok) {
        head = verdict.rev
        accepted.set(commit.id, head)
      }
      commits += 1
      return verdict
    }),
  )
  if (head > before) {
    tables.log.putSync(layout.headKey, layout.numberBytes(layout.headKey, head))
    forget(session, floor, head - remember, 4 * commits)
  }
  return { verdicts, before, accepted }
}

/** Reads commits of the log that are not known yet: those of other handles, if any. */
function learn(
  { tables }: Session,
  ids: RememberedIds,
  head: Rev,
  floor: Rev,
  within?: layout.Within,
  most = head,
) {
  const { log, unchecked } = tables
  const { rev, id } = ids.newest
  const at = layout.revKey(rev)
  const found = rev > floor ? log.get(at, within) : undefined
  // The log may already have contained a transaction that failed at its end.
  if (rev > head || (found !== undefined && layout.logOf(at, found, unchecked).id !== id)) ids.reset()
  const after = Math.max(ids.newest.rev, floor)
  const until = Math.min(head, after + most)
  for (const commit of layout.commitsAfter(tables, after, until, within)) ids.add(commit.id, commit.rev)
  ids.forget(floor)
  return until
}

/** Reads the log before the first commit, in slices that let the event loop continue. */
async function learnAll(session: Session, ids: RememberedIds): Promise<void> {
  for (;;) {
    const isWhole = await session.reading((within) => {
      const [head, floor] = [session.number(layout.headKey, within), session.number(layout.floorKey, within)]
      return learn(session, ids, head, floor, within, learnedAtOnce) === head
    })
    if (isWhole) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The remembered answer to an id. */
function pastVerdict(
  { ids: old, log, unchecked }: Session['tables'],
  ids: RememberedIds,
  accepted: ReadonlyMap<string, Rev>,
  id: string,
): Verdict | undefined {
  const now = accepted.get(id)
  if (now !== undefined) return { ok: true, rev: now }
  for (const rev of ids.find(id)) {
    const at = layout.revKey(rev)
    const found = log.get(at)
    if (found !== undefined && layout.logOf(at, found, unchecked).id === id) return { ok: true, rev }
  }
  // Refusals, and commits that format 1 accepted.
  const key = layout.keyBytes(id)
  const kept = old.get(key)
  return kept && layout.verdictOf(key, kept)
}

function judge(tables: Session['tables'], commit: Commit, head: Rev): Verdict {
  const { entries, log, ids, refusals, unchecked } = tables
  const find = (key: string) => {
    const found = entries.get(layout.keyBytes(key))
    return found && layout.storedOf(key, found, unchecked)
  }
  const stale: string[] = []
  for (const { key, rev } of commit.expect ?? []) {
    const found = find(key)
    if (found === undefined) layout.insistAbsent(tables, key, undefined)
    if ((found?.modified ?? 0) !== rev) stale.push(key)
  }
  if (stale.length > 0) {
    const no = { ok: false, rev: head, stale } as const
    if (commit.again === true) {
      const id = layout.keyBytes(commit.id)
      ids.putSync(id, layout.verdictBytes(id, no))
      refusals.putSync(Buffer.concat([layout.revKey(head), id]), empty)
    }
    return no
  }
  const rev = head + 1
  const keys: string[] = []
  const write = (key: string, value: Entry['value']) => {
    entries.putSync(layout.keyBytes(key), layout.entryBytes(key, value, find(key)?.created ?? rev, rev))
    keys.push(key)
  }
  for (const { key, value } of commit.put ?? []) write(key, value)
  for (const key of commit.touch ?? []) write(key, null)
  for (const key of commit.del ?? []) {
    entries.removeSync(layout.keyBytes(key))
    keys.push(key)
  }
  const at = layout.revKey(rev)
  log.putSync(at, layout.logBytes(at, commit.id, keys))
  return { ok: true, rev }
}

/** Deletes commits up to `until` from the log, a few at a time, so that no single write pays for all of them. */
function forget({ tables }: Session, from: Rev, until: Rev, steps: number): void {
  const { log, ids, refusals, unchecked } = tables
  // Done in batches, so that most commits write only the end of the log.
  if (until < from + forgottenAtOnce) return
  const target = Math.min(until, from + forgottenAtOnce + steps)
  for (let floor = from + 1; floor <= target; floor += 1) {
    const key = layout.revKey(floor)
    if (floor <= unchecked) {
      const past = log.get(key)
      if (past !== undefined) ids.removeSync(layout.keyBytes(layout.logOf(key, past, unchecked).id))
    }
    log.removeSync(key)
  }
  for (const key of [...refusals.getKeys({ end: layout.revKey(target + 1) })]) {
    ids.removeSync(key.subarray(8))
    refusals.removeSync(key)
  }
  log.putSync(layout.floorKey, layout.numberBytes(layout.floorKey, target))
}

/** The number of commits beyond the remembered ones that accumulate before they are deleted together. */
const forgottenAtOnce = 8

const empty = Buffer.alloc(0)
