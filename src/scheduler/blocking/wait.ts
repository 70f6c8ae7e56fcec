/**
 * How long blocking queries may wait, in milliseconds.
 */
export interface WaitLimits {
  /** The default wait. */
  readonly defaultMs: number
  /** The maximum, before the random addition. */
  readonly maxMs: number
}

export const waitLimits: WaitLimits = { defaultMs: 300_000, maxMs: 600_000 }

/**
 * How long a blocking query waits: the requested time, up to the maximum, plus up to a sixteenth, so that callers that
 * came together do not return together.
 *
 * @param askedMs - 0, negative or `undefined` takes the default
 * @param fraction - the position in the range of the addition: 0 inclusive to 1 exclusive
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
 */
export function effectiveWait(askedMs: number | undefined, fraction: number, limits = waitLimits): number {
  const wait = Math.min(askedMs === undefined || askedMs <= 0 ? limits.defaultMs : askedMs, limits.maxMs)
  return wait + (wait / 16) * fraction
}
