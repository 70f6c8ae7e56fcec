import { type FieldShape, parseField } from './cron-field.ts'

/** A date without a time zone. The month counts from 1, the day of the week from Sunday, which is 0. */
export interface CalendarDay {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly weekday: number
  /** The number of days in its month. */
  readonly length: number
}

/** Whether a field matches a day. */
export type DayRules = (day: CalendarDay) => boolean

const monthDays: FieldShape = { name: 'day-of-month', min: 1, max: 31 }

/** Parses the days of the month; `undefined` if they are not restricted. */
export function dayOfMonthRules(text: string): DayRules | undefined {
  const { values, restricted, others } = parseField(text, monthDays, (entry) => special.test(entry))
  if (!restricted) return undefined
  const days = new Set(values)
  const rules: readonly DayRules[] = [({ day }) => days.has(day), ...others.map(monthRule)]
  return (day) => rules.some((rule) => rule(day))
}

/** `l`, `lw`, `15w`. */
const special = /^(?:lw?|(?:0?[1-9]|[12]\d|3[01])w)$/

function monthRule(entry: string): DayRules {
  if (entry === 'l') return ({ day, length }) => day === length
  if (entry === 'lw') return (day) => day.day === nearestWorkday(day, day.length)
  const wanted = Number(entry.slice(0, -1))
  return (day) => wanted <= day.length && day.day === nearestWorkday(day, wanted)
}

/** The workday nearest to a day of the same month, without leaving the month. */
function nearestWorkday({ day, weekday, length }: CalendarDay, wanted: number): number {
  const at = (((weekday + wanted - day) % 7) + 7) % 7
  if (at === 6) return wanted > 1 ? wanted - 1 : wanted + 2
  if (at === 0) return wanted < length ? wanted + 1 : wanted - 2
  return wanted
}

const weekDays: FieldShape = {
  name: 'day-of-week',
  min: 0,
  max: 6,
  wraps: true,
  names: ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
}

/** `5l`, `fri#2`. */
const inMonth = /^([a-z]+|0?[0-7])(?:(l)|#([1-5]))$/

/** Parses the days of the week; `undefined` if they are not restricted. */
export function dayOfWeekRules(text: string): DayRules | undefined {
  const { values, restricted, others } = parseField(text, weekDays, isInMonth)
  if (!restricted) return undefined
  const days = new Set(values.map((value) => value % 7))
  const rules: readonly DayRules[] = [({ weekday }) => days.has(weekday), ...others.map(weekRule)]
  return (day) => rules.some((rule) => rule(day))
}

const isInMonth = (entry: string): boolean => {
  const found = inMonth.exec(entry)
  return found !== null && dayNamed(found[1] ?? '') !== undefined
}

const dayNamed = (text: string): number | undefined => {
  try {
    return (parseField(text, weekDays).values[0] ?? 0) % 7
  } catch {
    return undefined
  }
}

function weekRule(entry: string): DayRules {
  const [, name = '', last, nth] = inMonth.exec(entry) ?? []
  const wanted = dayNamed(name)
  return ({ day, weekday, length }) =>
    weekday === wanted && (last === undefined ? Math.ceil(day / 7) === Number(nth) : day + 7 > length)
}
