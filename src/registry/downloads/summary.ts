import type { Instant } from '../../kernel/index.ts'
import { dayOf, windows } from './count.ts'
import type { DownloadCounter } from './model.ts'

/**
 * The download counts of a module.
 */
export interface DownloadSummary {
  /** In the 7 days that end with today; days are UTC. */
  readonly week: number
  /** In the last 30 days. */
  readonly month: number
  /** In the last 365 days. */
  readonly year: number
  /** In total. */
  readonly total: number
}

/**
 * Sums up a module's downloads as of an instant.
 *
 * @example
 * ```ts
 * import { systemEnv } from 'plinth'
 * import { countDownloads, summarizeDownloads } from 'plinth/registry'
 *
 * const env = systemEnv()
 * const counted = countDownloads(undefined, { moduleId: 'm1', count: 3 }, env)
 * counted.ok && summarizeDownloads(counted.state, env.now) // { week: 3, month: 3, year: 3, total: 3 }
 * ```
 */
export function summarizeDownloads(counter: DownloadCounter | undefined, now: Instant): DownloadSummary {
  if (!counter) return { week: 0, month: 0, year: 0, total: 0 }
  const today = dayOf(now)
  const since = (days: number) =>
    Object.entries(counter.days).reduce(
      (sum, [day, count]) => (Number(day) > today - days && Number(day) <= today ? sum + count : sum),
      0,
    )
  return {
    week: since(windows.week),
    month: since(windows.month),
    year: since(windows.year),
    total: counter.total,
  }
}
