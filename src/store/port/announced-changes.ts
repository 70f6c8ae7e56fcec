import type { Timers } from '../../kernel/index.ts'
import { checkSince } from './check.ts'
import type { Changes, Rev, Since } from './port.ts'
import { waiters } from './waiters.ts'

/** A store whose commits are announced, most of the time: those of other processes may have to be asked for. */
interface Announcing {
  readonly timers: Timers
  /** How often, in milliseconds, a wait asks for commits that were not announced. */
  readonly pollMs: () => number
  readonly isClosed: () => boolean
  /** The changes that there are now. Throws once the store is closed. */
  readonly collect: (since: Since) => Promise<Changes>
  readonly head: () => Promise<Rev>
  /** Called when a commit was found that was not announced. */
  readonly missed?: () => void
}

/** The method `changes` of a store, and what wakes its waits. */
export interface AnnouncedChanges {
  readonly changes: (since: Since) => Promise<Changes>
  /** Announces a commit, or that the store was closed. */
  readonly wake: () => void
  /** Called before the head is asked for in another way; the returned function is called with the answer. */
  readonly asking: () => (head: Rev) => void
}

/**
 * Answers `changes` of a store in another process. Once a commit is announced, the changes are queried directly, without
 * asking first whether there are any: each process that follows a realm pays for every query.
 */
export function announcedChanges(store: Announcing): AnnouncedChanges {
  const { timers, pollMs, isClosed, head, missed } = store
  const waiting = waiters(timers)
  let [news, answers] = [0, 0]
  /** The newest known revision, and the number of announcements when it was queried. */
  let seen = { rev: -1, news: -1 }
  const wake = () => {
    news += 1
    waiting.wake()
  }
  const asking = () => {
    const before = news
    return (rev: Rev) => {
      if (rev > seen.rev) seen = { rev, news: before }
      answers += 1
      waiting.wake()
    }
  }
  const collect = async (since: Since) => {
    const before = news
    const found = await store.collect(since)
    if (!found.more) seen = { rev: found.rev, news: before }
    return found
  }
  const changes = async (since: Since) => {
    checkSince(since)
    const { after, waitMs = 0, signal, background } = since
    if (waitMs <= 0) return collect(since)
    let isDone = false
    const end = () => {
      isDone = true
      waiting.wake()
    }
    const stop = timers.after(waitMs, end, { hold: background !== true })
    const isOver = () => isDone || isClosed() || signal?.aborted === true
    try {
      while (!isOver()) {
        const [before, answersBefore] = [news, answers]
        // A commit during the query is not missed: the wait begins before the query.
        const woken = waiting.wait(pollMs(), signal, isOver)
        if (seen.rev !== after || seen.news !== before) {
          const found = await collect(since)
          if (found.rev !== after) return found
        }
        await woken
        if (isOver() || news !== before || answers !== answersBefore || (await head()) === after) continue
        wake()
        missed?.()
      }
    } finally {
      stop()
    }
    if (signal?.aborted === true) return { rev: after, put: [], gone: [], more: false }
    return collect(since)
  }
  return { changes, wake, asking }
}
