import { checkNumbers } from '../../kernel/check-numbers.ts'
import type { SchedulerOptions } from './options.ts'

/** Checks the numbers among a scheduler's options. */
export function checkTimes(options: SchedulerOptions): void {
  const { heartbeatTtlMs, waits, collect, maxCount, maxEvaluations } = options
  checkNumbers({ least: 0, unit: 'allocations', whole: true }, { maxCount })
  checkNumbers({ least: 1, unit: 'evaluations', whole: true }, { maxEvaluations })
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
