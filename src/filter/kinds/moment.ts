import { parseDuration } from '../../kernel/duration.ts'

/**
 * Reads a moment relative to now: `now`, `now - 1h30m`, `now + 7d`. A day has 24 hours.
 *
 * @returns how many microseconds it is before now; `undefined` for other texts
 */
export function momentOffset(text: string): number | undefined {
  const [, sign, length] = moment.exec(text) ?? []
  if (sign === undefined) return text === 'now' ? 0 : undefined
  const [, days = '0', rest = ''] = /^(?:([\d.]+)d)?(.*)$/.exec(length ?? '') ?? []
  const ms = Number(days) * 86_400_000 + (rest === '' ? 0 : (parseDuration(rest) ?? Number.NaN))
  if (Number.isNaN(ms)) return undefined
  return (sign === '-' ? -ms : ms) * 1000
}

const moment = /^now\s*([+-])\s*([\d.]\S*)$/

/** A date without a time. */
export const day = /^\d{4}-\d{2}-\d{2}$/

/** A day begins at midnight in UTC. */
export const startOfDay = (date: string): string => `${date}T00:00:00Z`
