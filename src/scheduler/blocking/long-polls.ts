import type { Env, Timers } from '../../kernel/index.ts'
import type { Hub, Rev, Snapshot } from '../../store/index.ts'

/** An answer, and the keys that must change before another one is possible. */
export interface Watched<Answer> {
  readonly answer: Answer
  /** The index that the caller passes to wait for the next answer. */
  readonly index: Rev
  /** The keys whose change may change the answer; marks stand for records that can be created or deleted. */
  readonly keys: readonly string[]
}

/** The limits of one caller's wait. */
export interface Patience {
  /** Wait until the answer's index is beyond this one; 0 does not wait. */
  readonly index: Rev
  /** For at most this long. */
  readonly waitMs: number
  /** Aborts the wait: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The waiting blocking queries. Callers with the same question share one answer. */
export interface LongPolls {
  /**
   * Answers as soon as the index is beyond the caller's, or with the last answer when the time is up.
   *
   * @param question - the same text means the same question, asked with the same rights
   * @param now - the snapshot to look at first
   * @param look - computes the answer from a snapshot; synchronous, so that no change is missed between looking and
   * waiting
   */
  ask<Answer>(
    question: string,
    now: Snapshot,
    look: (now: Snapshot) => Watched<Answer>,
    patience: Patience,
  ): Answer | Promise<Answer>
  /** The number of waiting callers. */
  readonly waiting: () => number
  /** Answers all waits with the current result; later calls do not wait. */
  drain(): void
}

interface Caller {
  deadline: number
  readonly resolve: (answer: unknown) => void
  readonly reject: (reason: unknown) => void
  leave(): void
}

/** The callers with the same question and the same index. */
interface Group {
  readonly callers: Set<Caller>
  readonly index: Rev
  readonly look: (now: Snapshot) => Watched<unknown>
  last: Watched<unknown>
  cancelSleep: () => void
  cancelTimer: () => void
  /** When the timer is due; `Infinity` when none is set. */
  due: number
}

const newGroup = (index: Rev, look: Group['look'], last: Watched<unknown>): Group => ({
  callers: new Set(),
  index,
  look,
  last,
  cancelSleep: () => {},
  cancelTimer: () => {},
  due: Number.POSITIVE_INFINITY,
})

/** Looks at a snapshot, and at newer ones until the answer is beyond an index or there is no newer one. */
function lookOnce<Answer>(
  first: Snapshot,
  look: (now: Snapshot) => Watched<Answer>,
  index: Rev,
  stale: () => Snapshot,
) {
  let now = first
  let seen = look(now)
  while (index > 0 && seen.index <= index) {
    const newest = stale()
    if (newest.rev <= now.rev) break
    now = newest
    seen = look(now)
  }
  return { now, seen }
}

export function longPolls(
  hub: Hub,
  stale: () => Snapshot,
  { env, timers }: { readonly env: () => Env; readonly timers: Timers },
): LongPolls {
  const groups = new Map<string, Group>()
  let draining = false

  const close = (key: string, group: Group) => {
    groups.delete(key)
    group.cancelSleep()
    group.cancelTimer()
  }
  const answerAll = (key: string, group: Group) => {
    close(key, group)
    for (const caller of group.callers) {
      caller.leave()
      caller.resolve(group.last.answer)
    }
  }
  const failAll = (key: string, group: Group, error: unknown) => {
    close(key, group)
    for (const caller of group.callers) {
      caller.leave()
      caller.reject(error)
    }
  }

  /** Waits for one of the keys to change after the last look. */
  const sleep = (key: string, group: Group, seen: Rev) => {
    const { done, cancel } = hub.wait(group.last.keys, seen)
    let asleep = true
    group.cancelSleep = () => {
      asleep = false
      cancel()
    }
    void done.then(() => {
      if (asleep) lookAgain(key, group)
    })
  }
  /** Looks until the state is stable, answers if the index has advanced, and otherwise waits again. */
  const lookAgain = (key: string, group: Group) => {
    try {
      const now = stale()
      group.last = group.look(now)
      if (draining || group.last.index > group.index) answerAll(key, group)
      else sleep(key, group, now.rev)
    } catch (error) {
      failAll(key, group, error)
    }
  }
  /** One timer per group: for the caller whose time is up first. */
  const arm = (key: string, group: Group) => {
    let due = Number.POSITIVE_INFINITY
    for (const { deadline } of group.callers) if (deadline < due) due = deadline
    group.cancelTimer()
    group.due = due
    const end = () => {
      const { now } = env()
      // The timer decides: if the clock shows less by now it was set back, and so were all deadlines.
      const back = due - now
      for (const caller of group.callers) {
        if (back > 0) caller.deadline -= back
        if (caller.deadline > now) continue
        group.callers.delete(caller)
        caller.leave()
        caller.resolve(group.last.answer)
      }
      if (group.callers.size === 0) close(key, group)
      else arm(key, group)
    }
    // A caller waits for the answer: the process must not end before.
    group.cancelTimer = timers.after(Math.max(0, due - env().now), end, { hold: true })
  }

  return {
    ask: <Answer>(
      question: string,
      first: Snapshot,
      look: (now: Snapshot) => Watched<Answer>,
      { index, waitMs, signal }: Patience,
    ): Answer | Promise<Answer> => {
      signal?.throwIfAborted()
      // Nothing else runs between these looks and the wait below: a change is either seen or wakes it.
      const { now, seen } = lookOnce(first, look, draining ? 0 : index, stale)
      if (index === 0 || draining || seen.index > index) return seen.answer

      const key = `${index} ${question}`
      const known = groups.get(key)
      const group = known ?? newGroup(index, look, seen)
      if (known === undefined) {
        groups.set(key, group)
        sleep(key, group, now.rev)
      }
      return new Promise<Answer>((resolve, reject) => {
        const abort = () => {
          group.callers.delete(caller)
          if (group.callers.size === 0) close(key, group)
          reject(signal?.reason)
        }
        const caller: Caller = {
          deadline: env().now + waitMs,
          // Callers of one group asked the same question, so the answer is of their type.
          resolve: resolve as (answer: unknown) => void,
          reject,
          leave: signal ? () => signal.removeEventListener('abort', abort) : () => {},
        }
        group.callers.add(caller)
        signal?.addEventListener('abort', abort)
        if (caller.deadline < group.due) arm(key, group)
      })
    },
    waiting: () => {
      let count = 0
      for (const { callers } of groups.values()) count += callers.size
      return count
    },
    drain: () => {
      draining = true
      for (const [key, group] of groups) lookAgain(key, group)
    },
  }
}
