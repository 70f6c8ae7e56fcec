import { isValid, parseISO } from 'date-fns'
import type { Instant } from '../../kernel/index.ts'

/** An instant in most fields of the scheduler's records: nanoseconds since the epoch. */
export const nanoseconds = (instant: Instant): number => instant * 1_000_000

/** An instant in the other fields of the scheduler's records: RFC 3339 in UTC. */
export const rfc3339 = (instant: Instant): string => new Date(instant).toISOString()

/** The inverse; `undefined` for text that is not a time, including the zero time. */
export function fromRfc3339(text: string): Instant | undefined {
  const date = parseISO(text)
  return isValid(date) && date.getTime() > zeroTime ? date.getTime() : undefined
}

/** The value for "never" in a required time. */
export const never = '0001-01-01T00:00:00Z'

const zeroTime = parseISO(never).getTime()
