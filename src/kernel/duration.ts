import { checkArguments } from './check-arguments.ts'

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // U+00B5
  μs: 1e-3, // U+03BC
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/** Digits and dots that are not a number parse as NaN. A stricter pattern would backtrack on long strings of digits. */
const term = /([\d.]+)([nuµμm]?s|m|h)/gy

/** Go durations are 64-bit nanoseconds: a little over 292 years. */
const maxMs = 9_223_372_036_854.775

/**
 * Reads a duration in Go's syntax: `1h30m`, `1.5s`, `300ms`, `-5m`, `0`.
 *
 * @returns milliseconds (possibly fractional), or `undefined` when the text is not such a duration: a number
 * other than `0` needs a unit, days and weeks are not units, and 292 years is the limit.
 *
 * @example
 * ```ts
 * import { parseDuration } from 'plinth'
 *
 * parseDuration('1h30m') // 5_400_000
 * parseDuration('10') // undefined
 * ```
 */
export function parseDuration(text: string): number | undefined {
  checkArguments('text', text)
  const sign = text[0] === '-' ? -1 : 1
  const body = text.replace(/^[+-]/, '')
  if (body === '0') return 0
  let total = 0
  term.lastIndex = 0
  do {
    const match = term.exec(body)
    if (match === null) return undefined
    total += Number(match[1]) * (unitMs[match[2] ?? ''] ?? Number.NaN)
  } while (term.lastIndex < body.length)
  return total <= maxMs ? sign * total + 0 : undefined // never -0
}

/**
 * Reads a time-to-live as the secrets service accepts it: a number of seconds (JSON number or numeric
 * string), whole days (`7d`), or a Go duration. The empty string is 0.
 *
 * @returns whole seconds, rounded toward zero (`'500ms'` is 0), or `undefined` for any other text
 *
 * @example
 * ```ts
 * import { parseTtlSeconds } from 'plinth'
 *
 * parseTtlSeconds('1h30m') // 5400
 * parseTtlSeconds('2d') // 172_800
 * parseTtlSeconds('90') // 90
 * parseTtlSeconds('1d12h') // undefined
 * ```
 */
export function parseTtlSeconds(value: string | number): number | undefined {
  checkArguments('value', value)
  if (typeof value === 'number') return whole(value)
  const text = value.trim()
  if (text === '') return 0
  if (/^[+-]?\d+$/.test(text)) return whole(Number(text))
  const days = /^([+-]?\d+)d$/.exec(text)
  if (days) return whole(Number(days[1]) * 86_400)
  const ms = parseDuration(text)
  return ms === undefined ? undefined : whole(ms / 1000)
}

const whole = (seconds: number): number | undefined => {
  const truncated = Math.trunc(seconds) + 0 // never -0
  return Number.isSafeInteger(truncated) && Math.abs(truncated) * 1000 <= maxMs ? truncated : undefined
}

/**
 * Writes a duration as Go prints it: `1h30m0s`, `1.5s`, `300ms`, `0s`.
 *
 * @param ms - milliseconds; at most nanosecond precision is kept
 *
 * @example
 * ```ts
 * import { formatDuration } from 'plinth'
 *
 * formatDuration(5_400_000) // '1h30m0s'
 * ```
 */
export function formatDuration(ms: number): string {
  const sign = ms < 0 ? '-' : ''
  const ns = Math.abs(ms) * 1e6
  // A value that rounds up to the next unit is written in that unit. (Beyond 104 days, numbers cannot represent single
  // nanoseconds.)
  const size = ns < Number.MAX_SAFE_INTEGER ? Math.round(ns) / 1e6 : Math.abs(ms)
  if (size === 0) return '0s'
  if (size < 1e-3) return `${sign}${Math.round(size * 1e6)}ns`
  if (size < 1) return `${sign}${trim(size * 1e3, 3)}µs`
  if (size < 1000) return `${sign}${trim(size, 6)}ms`
  const hours = Math.floor(size / 3_600_000)
  const minutes = Math.floor((size % 3_600_000) / 60_000)
  const seconds = `${trim((size % 60_000) / 1000, 9)}s`
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`
}

const trim = (value: number, digits: number): string => String(Number(value.toFixed(digits)))
