import type { Instant } from '../../kernel/index.ts'
import type { Cron } from './cron.ts'
import type { CalendarDay } from './days.ts'
import type { Offset } from './zone.ts'

const second = 1000
const hour = 3_600_000
const day = 24 * hour

/**
 * The first instant after another one at which the local time of a time zone matches a schedule; `undefined` if there
 * is none before the year 2100.
 *
 * @remarks
 * The schedule refers to local time: a time that is skipped when clocks go forward does not occur that day, and one
 * that is repeated when they go back occurs twice.
 */
export function nextTime(cron: Cron, after: Instant, offset: Offset): Instant | undefined {
  // If clocks are set back around midnight, they may show the previous date once more.
  const from = Math.floor((after + offset(after)) / day) * day - day
  for (let date = from; date < end; ) {
    const calendar = calendarOf(date)
    if (!cron.months.includes(calendar.month) || !cron.years.includes(calendar.year)) {
      date += (calendar.length - calendar.day + 1) * day
      continue
    }
    const found = timeOn(cron, date, after, offset)
    if (found !== undefined) {
      const later = timeOn(cron, date + day, after, offset)
      return later === undefined ? found : Math.min(found, later)
    }
    date += day
  }
  return undefined
}

const end = Date.UTC(2100, 0, 1)

function calendarOf(date: number): CalendarDay {
  const utc = new Date(date)
  const [year, month] = [utc.getUTCFullYear(), utc.getUTCMonth()]
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return { year, month: month + 1, day: utc.getUTCDate(), weekday: utc.getUTCDay(), length }
}

const isNamed = ({ months, years, dayOfMonth, dayOfWeek }: Cron, date: CalendarDay): boolean => {
  if (!months.includes(date.month) || !years.includes(date.year)) return false
  if (dayOfMonth === undefined || dayOfWeek === undefined) return (dayOfMonth ?? dayOfWeek)?.(date) ?? true
  return dayOfMonth(date) || dayOfWeek(date)
}

/** The first instant after another at which the schedule matches a local time on a date. */
function timeOn(cron: Cron, date: number, after: Instant, offset: Offset): Instant | undefined {
  if (!isNamed(cron, calendarOf(date))) return undefined
  // No time zone is further from UTC than fifteen hours. Within this span there is at most one transition.
  const [first, last] = [date - 15 * hour, date + day + 15 * hour]
  if (last <= after) return undefined
  const [before, since] = [offset(first), offset(last)]
  const change = before === since ? last : changeBetween(first, last, before, offset)
  const early = clockTime(cron, Math.max(after + second, first) + before - date)
  if (early !== undefined && date + early - before < change) return date + early - before
  if (before === since) return undefined
  const late = clockTime(cron, Math.max(after + second, change) + since - date)
  return late === undefined ? undefined : date + late - since
}

/** The instant of the transition to another offset. */
function changeBetween(first: Instant, last: Instant, before: number, offset: Offset): Instant {
  let [low, high] = [first, last]
  while (high - low > second) {
    const middle = Math.floor((low + high) / 2 / second) * second
    if (offset(middle) === before) low = middle
    else high = middle
  }
  return high
}

/** The first time of day, in milliseconds since midnight, that is not before another. */
function clockTime({ hours, minutes, seconds }: Cron, from: number): number | undefined {
  const start = Math.max(0, Math.floor(from / second))
  for (const h of hours) {
    if (h * 3600 + 3599 < start) continue
    for (const m of minutes) {
      if (h * 3600 + m * 60 + 59 < start) continue
      for (const s of seconds) if (h * 3600 + m * 60 + s >= start) return (h * 3600 + m * 60 + s) * second
    }
  }
  return undefined
}
