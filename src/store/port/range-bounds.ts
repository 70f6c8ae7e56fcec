import { compareKeys, prefixEnd } from './keys.ts'
import type { Range } from './port.ts'

/**
 * The start of a range, inclusive, and its end, exclusive; `undefined` for no end.
 */
export interface Bounds {
  readonly low: string
  readonly high: string | undefined
}

/**
 * Returns the bounds of a range in ascending order, also for descending ranges. They need not be keys.
 *
 * @example
 * ```ts
 * import { boundsOf } from 'plinth/store'
 *
 * boundsOf({ prefix: 'job', after: 'job/7', reverse: true }) // { low: 'job', high: 'job/7' }
 * ```
 */
export function boundsOf({ prefix, from, after, reverse }: Range): Bounds {
  let low = prefix
  let high = prefixEnd(prefix)
  if (reverse !== true) {
    if (from !== undefined && isPast(from, low)) low = from
    if (after !== undefined && isPast(after, low)) low = behind(after)
  } else {
    if (from !== undefined && (high === undefined || compareKeys(from, high) < 0)) high = behind(from)
    if (after !== undefined && (high === undefined || compareKeys(after, high) < 0)) high = after
  }
  return { low, high }
}

/** The smallest key after a text: no key contains U+0000. */
const behind = (text: string): string => `${text}\u0001`

/** Pages begin within their prefix: a text with that prefix is not before it, which is faster to check. */
const isPast = (text: string, low: string): boolean => text.startsWith(low) || compareKeys(text, low) >= 0
