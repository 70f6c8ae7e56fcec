import type { Commit, Entry, Rev, Verdict } from '../port/port.ts'
import * as layout from './layout.ts'
import { inTransaction } from './newest-transaction.ts'
import { floorKey, headKey, type Session } from './session.ts'

/**
 * Submits batches; those that wait for the same transaction of the engine are judged in one go, which reads and writes
 * the head once.
 */
export function committing(
  session: Session,
  remember: number,
): (batch: readonly Commit[]) => Promise<readonly Verdict[]> {
  const { path, tables } = session
  let queue: (readonly Commit[])[] = []
  let transaction: Promise<readonly Verdict[][]> | undefined
  const forgetQueue = () => {
    queue = []
    transaction = undefined
  }
  return async (batch) => {
    const place = queue.push(batch) - 1
    transaction ??= inTransaction(tables.root, path, () => {
      const batches = queue
      forgetQueue()
      return judgeAll(session, batches, remember)
    })
    const mine = transaction
    try {
      // What the queue is judged by, its place tells apart.
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
  batches: readonly (readonly Commit[])[],
  remember: number,
): readonly Verdict[][] {
  const { tables, number } = session
  const before = number(headKey)
  let head = before
  let commits = 0
  const verdicts = batches.map((batch) =>
    batch.map((commit) => {
      const verdict = judge(tables, commit, head)
      if (verdict.ok) head = Math.max(head, verdict.rev)
      commits += 1
      return verdict
    }),
  )
  if (head > before) {
    tables.meta.putSync(headKey, layout.revKey(head))
    forget(session, head - remember, 4 * commits)
  }
  return verdicts
}

function judge({ entries, log, ids, refusals }: Session['tables'], commit: Commit, head: Rev): Verdict {
  const id = layout.keyBytes(commit.id)
  const past = ids.get(id)
  if (past !== undefined) return layout.verdictOf(past)
  const stale: string[] = []
  for (const { key, rev } of commit.expect ?? []) {
    const found = entries.getBinaryFast(layout.keyBytes(key))
    if ((found === undefined ? 0 : layout.modifiedOf(found)) !== rev) stale.push(key)
  }
  if (stale.length > 0) {
    const no = { ok: false, rev: head, stale } as const
    if (commit.again === true) {
      ids.putSync(id, layout.verdictBytes(no))
      refusals.putSync(Buffer.concat([layout.revKey(head), id]), empty)
    }
    return no
  }
  const rev = head + 1
  const keys: string[] = []
  const write = (key: string, value: Entry['value']) => {
    const at = layout.keyBytes(key)
    const before = entries.getBinaryFast(at)
    const created = before === undefined ? rev : layout.createdOf(before)
    entries.putSync(at, layout.entryBytes(value, created, rev))
    keys.push(key)
  }
  for (const { key, value } of commit.put ?? []) write(key, value)
  for (const key of commit.touch ?? []) write(key, null)
  for (const key of commit.del ?? []) {
    entries.removeSync(layout.keyBytes(key))
    keys.push(key)
  }
  log.putSync(layout.revKey(rev), layout.logBytes(commit.id, keys))
  const yes = { ok: true, rev } as const
  ids.putSync(id, layout.verdictBytes(yes))
  return yes
}

/** Forgets commits up to `until`, a few at a time, so that no writer pays for all of them. */
function forget({ tables, number }: Session, until: Rev, steps: number): void {
  const { meta, log, ids, refusals } = tables
  if (until <= 0) return
  let floor = number(floorKey)
  const target = Math.min(until, floor + steps)
  if (floor >= target) return
  while (floor < target) {
    floor += 1
    const key = layout.revKey(floor)
    const past = log.get(key)
    if (past !== undefined) ids.removeSync(layout.keyBytes(layout.logOf(past).id))
    log.removeSync(key)
  }
  for (const key of [...refusals.getKeys({ end: layout.revKey(floor + 1) })]) {
    ids.removeSync(key.subarray(8))
    refusals.removeSync(key)
  }
  meta.putSync(floorKey, layout.revKey(floor))
}

const empty = Buffer.alloc(0)
