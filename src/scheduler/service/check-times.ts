import { checkNumbers } from '../../kernel/check-numbers.ts'
import type { SchedulerOptions } from './options.ts'

/** Checks the times among a scheduler's options. */
export function checkTimes({ heartbeatTtlMs, waits, collect }: SchedulerOptions): void {
  const positive = { least: 1, unit: 'milliseconds' }
  checkNumbers(positive, {
    heartbeatTtlMs,
    'waits.defaultMs': waits?.defaultMs,
    'waits.maxMs': waits?.maxMs,
  })
  if (typeof collect !== 'object') return
  const { everyMs, ...ages } = collect
  checkNumbers(positive, { 'collect.everyMs': everyMs })
  const named = Object.entries(ages).map(([name, value]) => [`collect.${name}`, value] as const)
  checkNumbers({ least: 0, unit: 'milliseconds' }, Object.fromEntries(named))
}
