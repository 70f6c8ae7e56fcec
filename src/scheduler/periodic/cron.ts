import { checkArguments } from '../../kernel/check-arguments.ts'
import { parseField, type Values } from './cron-field.ts'
import { type DayRules, dayOfMonthRules, dayOfWeekRules } from './days.ts'

/**
 * A parsed cron schedule: times of day and dates, without a time zone.
 */
export interface Cron {
  readonly seconds: Values
  readonly minutes: Values
  readonly hours: Values
  /** 1 to 12. */
  readonly months: Values
  readonly years: Values
  /** Which days of a month; if both kinds are restricted, a day needs to match one of them. */
  readonly dayOfMonth: DayRules | undefined
  readonly dayOfWeek: DayRules | undefined
}

/** The refusal of an invalid schedule. */
export type CronRead =
  | { readonly ok: true; readonly value: Cron }
  | { readonly ok: false; readonly problem: string }

/**
 * Parses a cron expression: five fields (minute, hour, day of month, month, day of week), a sixth for the year, a
 * seventh in front for the second, or `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`, `@hourly`.
 *
 * @remarks
 * Fields take `*`, lists, ranges, steps and English names; `?` is `*`; day 7 is Sunday. Days of the month also take
 * `L` (the last one), `15W` (the workday nearest to it) and `LW`; days of the week `5L` (the last Friday) and `5#2`
 * (the second one). Where both kinds of days are restricted a day needs to fit one of them only.
 *
 * @example
 * ```ts
 * import { parseCron } from 'plinth/scheduler'
 *
 * parseCron('0 3 * * mon-fri').ok // true
 * const read = parseCron('0 25 * * *')
 * read.ok || read.problem // "syntax error in hour field: '25'"
 * ```
 */
export function parseCron(text: string): CronRead {
  checkArguments('text', text)
  if (text.length > maxLength)
    return { ok: false, problem: `a cron expression has at most ${maxLength} characters` }
  const known = shorthands.get(text.trim().toLowerCase())
  const fields = (known ?? text).trim().split(/\s+/).filter(Boolean)
  if (fields.length < 5) return { ok: false, problem: 'missing field(s)' }
  if (fields.length > 7) return { ok: false, problem: 'more than seven fields' }
  const [second, minute, hour, day, month, weekday, year] = [
    ...(fields.length === 7 ? [] : ['0']),
    ...fields,
    ...(fields.length === 5 ? ['*'] : []),
  ] as [string, string, string, string, string, string, string] // seven fields
  try {
    return {
      ok: true,
      value: {
        seconds: parseField(second, { name: 'second', min: 0, max: 59 }).values,
        minutes: parseField(minute, { name: 'minute', min: 0, max: 59 }).values,
        hours: parseField(hour, { name: 'hour', min: 0, max: 23 }).values,
        dayOfMonth: dayOfMonthRules(day),
        months: parseField(month, { name: 'month', min: 1, max: 12, names: monthNames }).values,
        dayOfWeek: dayOfWeekRules(weekday),
        years: parseField(year, { name: 'year', min: 1970, max: 2099 }).values,
      },
    }
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, problem: error.message }
    throw error
  }
}

/** Longer ones are not real schedules. */
const maxLength = 1000

const shorthands: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 0 1 1 * *'],
  ['@annually', '0 0 0 1 1 * *'],
  ['@monthly', '0 0 0 1 * * *'],
  ['@weekly', '0 0 0 * * 0 *'],
  ['@daily', '0 0 0 * * * *'],
  ['@hourly', '0 0 * * * * *'],
])

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const
