import { checkNumbers } from '../kernel/check-numbers.ts'
import { checkOptions } from '../kernel/check-options.ts'
import type { Env, Instant, Timers } from '../kernel/index.ts'
import { nextMacrotask } from '../kernel/next-macrotask.ts'
import { seededRandom } from '../kernel/seeded-random.ts'

/**
 * A clock that stands still until it is told to move, with identifiers that are the same in every run.
 *
 * @remarks
 * `env` and `timers` are what every service takes, so a clock can be spread into its options. Time moves only
 * through {@link TestClock.advance} and {@link TestClock.set}; timers that fall due run in order, each at its
 * own instant. Tokens and keys are no identifiers: they are as random as ever.
 *
 * @public
 */
export interface TestClock {
  /** The environment of a command that happens now. */
  readonly env: () => Env
  /** Timers that fire when the clock is advanced past them. */
  readonly timers: Timers
  /** The present instant. */
  readonly now: () => Instant
  /**
   * Moves time forward and fires what falls due; wait for it. Promise chains come to rest before the first timer,
   * between two, and after the last; reads of disks and sockets, and hashing, do not: wait for those yourself. What is
   * moved again meanwhile moves after that.
   */
  readonly advance: (ms: number) => Promise<void>
  /** Moves time to an instant; backwards is allowed, to test clocks that jump. */
  readonly set: (instant: Instant) => Promise<void>
}

/**
 * Makes a {@link TestClock}.
 *
 * @param options - `now`: where it starts, 2026-01-01T00:00:00Z by default; `seed`: which identifiers it gives.
 *
 * @throws RangeError when it is to start at, or moved to, what is no instant; TypeError when there is no such option
 *
 * @example
 * ```ts
 * import { testClock } from 'plinth/testing'
 *
 * const clock = testClock({ now: Date.UTC(2026, 0, 1), seed: 7 })
 * await clock.advance(60_000)
 * new Date(clock.now()).toISOString() // '2026-01-01T00:01:00.000Z'
 * ```
 *
 * @public
 */
export function testClock(
  options: { readonly now?: Instant | undefined; readonly seed?: number | undefined } = {},
): TestClock {
  checkOptions('testClock', options, { now: true, seed: true })
  let now = checkedInstant('now', options.now ?? Date.UTC(2026, 0, 1))
  const newId = seededIds(options.seed ?? 1)
  const pending = new Set<{ readonly due: Instant; readonly fn: () => void }>()

  const timers: Timers = {
    after: (ms, fn) => {
      const timer = { due: now + Math.max(0, ms), fn }
      pending.add(timer)
      return () => void pending.delete(timer)
    },
  }
  const nextDue = (until: Instant) => {
    let first: { readonly due: Instant; readonly fn: () => void } | undefined
    for (const timer of pending) if (timer.due <= until && (!first || timer.due < first.due)) first = timer
    return first
  }
  const moveTo = async (instant: Instant) => {
    // What was begun just before has yet to come to where it waits: `const answer = fetch(…); await advance(…)`.
    await nextMacrotask()
    for (let timer = nextDue(instant); timer; timer = nextDue(instant)) {
      pending.delete(timer)
      now = Math.max(now, timer.due)
      timer.fn()
      await nextMacrotask()
    }
    now = instant
    await nextMacrotask()
  }
  /** One move at a time: two at once would each count from where the clock stood before both. */
  let moved: Promise<unknown> = Promise.resolve()
  const inTurn = (move: () => Promise<void>): Promise<void> => {
    const done = moved.then(move)
    moved = done.catch(() => {})
    return done
  }
  return {
    env: () => ({ now, newId }),
    timers,
    now: () => now,
    advance: async (ms) => {
      checkNumbers({ least: 0, unit: 'milliseconds' }, { ms })
      checkedInstant('ms', ms)
      await inTurn(() => moveTo(now + ms))
    },
    set: async (instant) => {
      checkedInstant('instant', instant)
      await inTurn(() => moveTo(instant))
    },
  }
}

/** Programs without types give dates and texts, which would be joined to what is added. */
function checkedInstant(name: string, instant: Instant): Instant {
  if (Number.isFinite(instant)) return instant
  throw new RangeError(
    `${name} is ${String(instant)}: give a number of milliseconds, as of Date.UTC(2026, 0, 1)`,
  )
}

/**
 * A source of identifiers in the shape of UUIDs that is the same for the same seed.
 *
 * @example
 * ```ts
 * import { seededIds } from 'plinth/testing'
 *
 * const newId = seededIds(7)
 * newId('job') === seededIds(7)('job') // true
 * newId('job') === seededIds(7)('job') // false
 * ```
 *
 * @public
 */
export function seededIds(seed: number): (kind: string) => string {
  const next = seededRandom(seed)
  const hex = (digits: number) => {
    let text = ''
    while (text.length < digits) text += Math.floor(next() * 16).toString(16)
    return text
  }
  return () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[Math.floor(next() * 4)]}${hex(3)}-${hex(12)}`
}
