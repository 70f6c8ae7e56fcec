import { isBelow } from '../port/check.ts'
import { isStoreError, StoreError } from '../port/errors.ts'
import type { Changes, Entry, Since } from '../port/port.ts'
import * as layout from './layout.ts'
import { floorKey, headKey, type Session } from './session.ts'

/** What changed since a revision, in one of the engine's snapshots. */
export function collect({ tables, number }: Session, since: Since, within: layout.Within): Changes {
  const { entries, log } = tables
  const { after, prefixes, limit = Number.POSITIVE_INFINITY } = since
  const head = number(headKey, within)
  const floor = number(floorKey, within)
  if (after < floor || after > head)
    throw new StoreError(
      'compacted',
      `revision ${after} is not in the remembered ${floor} to ${head}: read anew`,
    )
  const changed = new Set<string>()
  let rev = after
  for (const { value } of log.getRange({ start: layout.revKey(after + 1), ...within })) {
    if (changed.size >= limit && rev > after) break
    for (const key of layout.logOf(value).keys) if (isBelow(key, prefixes)) changed.add(key)
    rev += 1
  }
  const put: Entry[] = []
  const gone: string[] = []
  for (const key of changed) {
    const bytes = entries.get(layout.keyBytes(key), within)
    if (bytes === undefined) gone.push(key)
    else put.push(layout.entryOf(key, bytes))
  }
  return { rev, put, gone, more: rev < head }
}

/** Sleeps until there is something new: told at once by this handle's commits, and by polling of all others'. */
export async function untilNews(session: Session, pollMs: number, since: Since): Promise<void> {
  const { after, waitMs = 0, signal, background } = since
  const { tables, timers, waiting, isClosed, number } = session
  let over = waitMs <= 0
  const end = () => {
    over = true
    waiting.wake()
  }
  const stop = over ? () => {} : timers.after(waitMs, end, { hold: background !== true })
  const hasNews = () => {
    if (isClosed() || over) return true
    tables.root.resetReadTxn()
    try {
      return number(headKey) !== after
    } catch (error) {
      // An import is news once it is whole.
      if (isStoreError(error, 'locked')) return false
      throw error
    }
  }
  try {
    while (!hasNews() && signal?.aborted !== true)
      await waiting.wait(pollMs, signal, () => isClosed() || over)
  } finally {
    stop()
  }
}
