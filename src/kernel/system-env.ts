import type { Env, Timers } from './env.ts'

/**
 * The system clock and random UUIDs. The only file of the package that reads either global.
 *
 * @remarks
 * Call it once per command, so that one command sees one instant.
 *
 * @example
 * ```ts
 * import { systemEnv } from 'plinth'
 *
 * const env = systemEnv()
 * env.newId('evaluation').length // 36
 * ```
 */
export const systemEnv = (): Env => ({ now: systemNow(), newId: randomId })

/**
 * The environment of a service: the system's, but its clock goes on when that of the system is set back, so that nothing
 * lives longer than it was given. Restarts begin with the system's clock again.
 */
export function steadyEnv(): () => Env {
  const now = steadyClock(systemNow, () => performance.now())
  return () => ({ now: now(), newId: randomId })
}

/** Corrections below this are drift: the system's clock is adjusted all the time. */
const driftMs = 1_000

/**
 * A clock that follows another one, except backwards: then it goes on at the pace of a stopwatch, until the other clock
 * is set forward again.
 */
export function steadyClock(wall: () => number, stopwatch: () => number): () => number {
  let last = { wall: wall(), watch: stopwatch() }
  let ahead = 0
  return () => {
    const present = { wall: wall(), watch: stopwatch() }
    const passed = present.wall - last.wall
    const correction = passed - (present.watch - last.watch)
    if (passed < 0 || correction < -driftMs) ahead -= correction
    else if (ahead > 0 && correction > driftMs) ahead = Math.max(0, ahead - correction)
    last = present
    return Math.round(present.wall + ahead)
  }
}

/** The system clock alone, in milliseconds since 1970. */
export const systemNow = (): number => Date.now()

function randomId(): string {
  const text = crypto.randomUUID()
  // Node joins a UUID from pieces, and V8 keeps these, over 400 bytes, until a character of the string is read.
  text.charCodeAt(0)
  return text
}

/** A random number in [0, 1) that need not be secret: for retry delays. */
export const systemRandom = (): number => Math.random()

/**
 * The host's timers. A pending one keeps the process alive only if it was asked to hold it.
 */
export const systemTimers: Timers = {
  after: (ms, fn, options) => {
    const timer: unknown = setTimeout(fn, Math.min(ms, longest))
    if (options?.hold !== true && isUnrefable(timer)) timer.unref()
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>)
  },
}

/** Hosts clamp longer delays to 1 ms; 24.8 days is as good as forever for a wait. */
const longest = 2_147_483_647

/** Keeps the process alive until it is cleared, for a wait without a time limit. */
export const stayAwake = (timers: Timers = systemTimers): (() => void) =>
  timers.after(longest, () => {}, { hold: true })

/** Node's timers are objects that can be unreferenced; browsers' are numbers. */
const isUnrefable = (timer: unknown): timer is { unref(): void } =>
  typeof timer === 'object' && timer !== null && 'unref' in timer
