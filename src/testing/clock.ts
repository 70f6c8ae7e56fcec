import { checkNumbers } from '../kernel/check-numbers.ts'
import { checkOptions } from '../kernel/check-options.ts'
import { type Env, type Instant, systemEnv, systemTimers, type Timers } from '../kernel/index.ts'
import { nextMacrotask } from '../kernel/next-macrotask.ts'
import { seededRandom } from '../kernel/seeded-random.ts'

/**
 * A manual clock, with identifiers that are the same in every run.
 *
 * @remarks
 * `env` and `timers` are options of every service, so a clock can be spread into them. Time moves only through
 * {@link TestClock.advance} and {@link TestClock.set}; due timers run in order, each at its own time. Tokens and keys
 * are not identifiers: they stay random.
 */
export interface TestClock {
  /** The environment of a command that happens now. */
  readonly env: () => Env
  /** Timers that fire when the clock is advanced past them. */
  readonly timers: Timers
  /** The present instant. */
  readonly now: () => Instant
  /**
   * Moves time forward and fires due timers; await it. Promise chains settle before the first timer, between timers,
   * and after the last; disk and socket reads and hashing do not: await those yourself. A second call during a move
   * runs after it.
   */
  readonly advance: (ms: number) => Promise<void>
  /** Moves time to an instant; backwards is allowed, to test clocks that jump. */
  readonly set: (instant: Instant) => Promise<void>
}

/**
 * Creates a {@link TestClock}.
 *
 * @param options - `now`: the start time, 2026-01-01T00:00:00Z by default; `seed`: selects the sequence of identifiers;
 * `running`: time also passes by itself, from the present on by default, and identifiers are random unless there is a
 * seed.
 *
 * @throws RangeError when the start or target time is not valid; TypeError for an unknown option
 *
 * @example
 * ```ts
 * import { testClock } from 'plinth/testing'
 *
 * const clock = testClock({ now: Date.UTC(2026, 0, 1), seed: 7 })
 * await clock.advance(60_000)
 * new Date(clock.now()).toISOString() // '2026-01-01T00:01:00.000Z'
 * ```
 */
export function testClock(
  options: {
    readonly now?: Instant | undefined
    readonly seed?: number | undefined
    readonly running?: boolean | undefined
  } = {},
): TestClock {
  checkOptions('testClock', options, { now: true, seed: true, running: true })
  const { running = false, seed = running ? undefined : 1 } = options
  /** The part of the present instant that does not pass by itself. */
  let shift = 0
  const present = (): Instant => (running ? systemEnv().now + shift : shift)
  const moveBy = (instant: Instant) => {
    shift += instant - present()
  }
  moveBy(checkedInstant('now', options.now ?? (running ? present() : Date.UTC(2026, 0, 1))))
  const newId = seed === undefined ? systemEnv().newId : seededIds(seed)
  const { timers, takeDue, arm } = pendingTimers(present, running)
  const moveTo = async (instant: Instant) => {
    // A call started just before has not reached its wait yet: `const answer = fetch(…); await advance(…)`.
    await nextMacrotask()
    for (let timer = takeDue(instant); timer; timer = takeDue(instant)) {
      moveBy(Math.max(present(), timer.due))
      timer.fn()
      await nextMacrotask()
    }
    moveBy(instant)
    arm()
    await nextMacrotask()
  }
  /** One move at a time: two concurrent moves would each count from the same start. */
  let moved: Promise<unknown> = Promise.resolve()
  const inTurn = (move: () => Promise<void>): Promise<void> => {
    const done = moved.then(move)
    moved = done.catch(() => {})
    return done
  }
  return {
    env: () => ({ now: present(), newId }),
    timers,
    now: present,
    advance: async (ms) => {
      checkNumbers({ least: 0, unit: 'milliseconds' }, { ms })
      checkedInstant('ms', ms)
      await inTurn(() => moveTo(present() + ms))
    },
    set: async (instant) => {
      checkedInstant('instant', instant)
      await inTurn(() => moveTo(instant))
    },
  }
}

interface PendingTimer {
  readonly due: Instant
  readonly fn: () => void
  readonly options: Parameters<Timers['after']>[2]
  /** Of a running clock: stops the host's timer. */
  disarm: (() => void) | undefined
}

/** The timers of a clock. Those of a running one also fire by themselves. */
function pendingTimers(present: () => Instant, running: boolean) {
  const pending = new Set<PendingTimer>()
  const drop = (timer: PendingTimer) => {
    timer.disarm?.()
    pending.delete(timer)
  }
  const arm = (timer: PendingTimer) => {
    timer.disarm?.()
    const fire = () => {
      pending.delete(timer)
      timer.fn()
    }
    timer.disarm = running ? systemTimers.after(timer.due - present(), fire, timer.options) : undefined
  }
  const timers: Timers = {
    after: (ms, fn, how) => {
      const timer: PendingTimer = { due: present() + Math.max(0, ms), fn, options: how, disarm: undefined }
      pending.add(timer)
      arm(timer)
      return () => drop(timer)
    },
  }
  return {
    timers,
    /** Takes out the first of those that are due. */
    takeDue: (until: Instant) => {
      let first: PendingTimer | undefined
      for (const timer of pending) if (timer.due <= until && (!first || timer.due < first.due)) first = timer
      if (first) drop(first)
      return first
    },
    /** Sets all of them anew, after the clock was moved. */
    arm: () => pending.forEach(arm),
  }
}

/** Callers without types pass dates and strings, which `+` would concatenate. */
export function checkedInstant(name: string, instant: Instant): Instant {
  if (Number.isFinite(instant)) return instant
  throw new RangeError(
    `${name} is ${String(instant)}: pass a number of milliseconds, as of Date.UTC(2026, 0, 1)`,
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
