/**
 * How long blocking queries may wait, in milliseconds.
 *
 * @public
 */
export interface WaitLimits {
  /** When the caller names no time. */
  readonly defaultMs: number
  /** The longest, before the random addition. */
  readonly maxMs: number
}

export const waitLimits: WaitLimits = { defaultMs: 300_000, maxMs: 600_000 }

/**
 * How long a blocking query waits: what was asked for, up to the maximum, and up to a sixteenth more, so that
 * callers who came together do not all come back together.
 *
 * @param askedMs - 0, negative or `undefined` takes the default
 * @param fraction - where in the addition's range to be: 0 inclusive to 1 exclusive
 *
 * @returns milliseconds
 *
 * @example
 * ```ts
 * import { effectiveWait } from 'plinth/scheduler'
 *
 * effectiveWait(10_000, 0) // 10_000
 * effectiveWait(undefined, 0.5) // 309_375
 * effectiveWait(86_400_000, 0) // 600_000
 * ```
 *
 * @public
 */
export function effectiveWait(askedMs: number | undefined, fraction: number, limits = waitLimits): number {
  const wait = Math.min(askedMs === undefined || askedMs <= 0 ? limits.defaultMs : askedMs, limits.maxMs)
  return wait + (wait / 16) * fraction
}
