import type { Reporter } from '../../kernel/event-emitter.ts'
import type { Timers } from '../../kernel/index.ts'

/** How long counts are collected before they are stored. */
const gatherMs = 1000

/** The maximum number of counters per commit. */
const perCommit = 32

/**
 * Counts events that are too frequent for a commit each, such as downloads: counts are collected for a second, then
 * stored together, summed by key.
 */
export interface Tally {
  /** Adds one. Callers do not wait for it, but the process stays alive until it is stored. */
  readonly note: (id: string) => void
  /**
   * The counts that are not stored yet, by key: once {@link Tally.rested} has settled, add them to a snapshot taken in
   * the same turn of the event loop, without an await in between.
   */
  readonly waiting: () => ReadonlyMap<string, number>
  /** Settles when no commit of counts is in progress, which a snapshot may or may not contain. */
  readonly rested: () => Promise<void>
  /** Settles when all counts so far are stored, or have failed. */
  readonly settled: () => Promise<void>
}

/** Creates a {@link Tally}. */
export function tally(options: {
  /** Adds to some counters, in one commit. */
  readonly store: (counts: readonly (readonly [id: string, count: number])[]) => Promise<void>
  readonly timers: Timers
  /** Called for counts that could not be stored; they are retried with the next. */
  readonly onError: Reporter
}): Tally {
  const { onError } = options
  /** Replaced, not emptied, when counts are stored: earlier readers keep their value. */
  let waiting = new Map<string, number>()
  let cancel: (() => void) | undefined
  let storing: Promise<void> | undefined

  const store = async (): Promise<void> => {
    const due = [...waiting]
    for (let at = 0; at < due.length; at += perCommit) {
      const counts = due.slice(at, at + perCommit)
      try {
        await options.store(counts)
      } catch (error) {
        onError(error)
        return
      }
      const left = new Map(waiting)
      for (const [id, count] of counts) {
        const noted = (left.get(id) ?? 0) - count
        if (noted > 0) left.set(id, noted)
        else left.delete(id)
      }
      waiting = left
    }
  }
  const begin = (): Promise<void> => {
    cancel?.()
    cancel = undefined
    storing ??= store().finally(() => {
      storing = undefined
    })
    return storing
  }
  return {
    note: (id) => {
      waiting.set(id, (waiting.get(id) ?? 0) + 1)
      cancel ??= options.timers.after(gatherMs, () => void begin(), { hold: true })
    },
    waiting: () => waiting,
    rested: async () => {
      while (storing) await storing
    },
    settled: async () => {
      // A running commit may have started before the last count was added.
      await storing
      if (waiting.size > 0) await begin()
    },
  }
}
