import type { Instant } from '../../kernel/index.ts'

/** The UTC offset of a time zone at an instant, in milliseconds. */
export type Offset = (instant: Instant) => number

/**
 * The offsets of a time zone, by its name in the time zone database; `undefined` for an unknown name.
 */
export function offsetOf(timeZone: string): Offset | undefined {
  if (utcNames.has(timeZone)) return () => 0
  const known = zones.get(timeZone)
  if (known !== undefined) return known
  const format = formatOf(timeZone)
  if (format === undefined) return undefined
  const offset: Offset = (instant) => {
    // Whole seconds: the fraction is the same in both.
    const second = Math.floor(instant / 1000) * 1000
    const parts = new Map(format.formatToParts(second).map(({ type, value }) => [type, Number(value)]))
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
    const clock = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    )
    return clock - second
  }
  if (zones.size >= kept) zones.clear()
  zones.set(timeZone, offset)
  return offset
}

const utcNames: ReadonlySet<string> = new Set(['', 'UTC', 'Etc/UTC'])

/** Creating a formatter is slow. Formatters are immutable, so this cache is not state. */
const zones = new Map<string, Offset>()
const kept = 64

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    return undefined
  }
}
