import type { Timers } from '../../kernel/index.ts'

/** How long counts are gathered before they are stored. */
const gatherMs = 1000

/** How many counters one commit changes. */
const perCommit = 32

/**
 * Counts what happens too often for a commit each, such as downloads: what is noted is gathered for a second, then
 * stored together, added up by what it counts.
 */
export interface Tally {
  /** Notes one more of something. No caller waits for it, but the process stays alive until it is stored. */
  readonly note: (id: string) => void
  /**
   * What was noted and is not stored, by what it counts: to be added to a snapshot taken in the same breath, with
   * nothing awaited between the two, once {@link Tally.rested} has settled.
   */
  readonly waiting: () => ReadonlyMap<string, number>
  /** Settles when no commit of counts is under way, which a snapshot may or may not contain. */
  readonly rested: () => Promise<void>
  /** Settles when everything noted so far is stored, or could not be. */
  readonly settled: () => Promise<void>
}

/** Makes a {@link Tally}. */
export function tally(options: {
  /** Adds to some counters, in one commit. */
  readonly store: (counts: readonly (readonly [id: string, count: number])[]) => Promise<void>
  readonly timers: Timers
  /** Hears of counts that could not be stored; they are tried again with the next. */
  readonly onError: (error: unknown) => void
}): Tally {
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
        options.onError(error)
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
      // What is under way may have begun before the last was noted.
      await storing
      if (waiting.size > 0) await begin()
    },
  }
}
