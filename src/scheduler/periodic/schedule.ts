import { checkArguments } from '../../kernel/check-arguments.ts'
import type { Instant } from '../../kernel/index.ts'
import type { PeriodicConfig } from '../jobs/model.ts'
import { shortened } from '../values/shortened.ts'
import { parseCron } from './cron.ts'
import { nextTime } from './next.ts'
import { offsetOf } from './zone.ts'

/** When a periodic job runs: its expressions, and their time zone. */
export type Schedule = Pick<PeriodicConfig, 'Spec' | 'Specs' | 'SpecType' | 'TimeZone'>

/** The expressions of a schedule, in either of the two fields they may be in. */
const specsOf = ({ Spec, Specs }: Schedule): readonly string[] =>
  Specs === null || Specs.length === 0 ? [Spec] : Specs

/**
 * When a periodic job is launched next.
 *
 * @returns the first instant after `after` at which one of its expressions matches in its time zone; `undefined` if
 * there is none before the year 2100, or if the schedule is invalid, see {@link scheduleProblems}
 *
 * @example
 * ```ts
 * import { nextLaunch } from 'plinth/scheduler'
 *
 * const schedule = { Spec: '30 2 * * *', Specs: null, SpecType: 'cron', TimeZone: 'Europe/Berlin' }
 * const at = nextLaunch(schedule, Date.UTC(2026, 0, 1))
 * at && new Date(at).toISOString() // '2026-01-01T01:30:00.000Z'
 * ```
 */
export function nextLaunch(schedule: Schedule, after: Instant): Instant | undefined {
  checkArguments('schedule after', schedule, after)
  return earliest(timesOf(schedule), after)
}

/** The maximum number of expressions of a job. */
const maxSpecs = 32

/** One of the expressions of a schedule: its next instant after another. */
type Times = (after: Instant) => Instant | undefined

function timesOf(schedule: Schedule): readonly Times[] {
  const offset = offsetOf(schedule.TimeZone)
  if (offset === undefined || schedule.SpecType !== 'cron') return []
  return specsOf(schedule).flatMap((spec) => {
    const read = parseCron(spec)
    return read.ok ? (after: Instant) => nextTime(read.value, after, offset) : []
  })
}

function earliest(all: readonly Times[], after: Instant): Instant | undefined {
  const times = all.flatMap((next) => next(after) ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

/**
 * The most recent launch due after one instant and up to another; `undefined` if there is none. After downtime only
 * that one is made up for.
 *
 * @example
 * ```ts
 * import { lastMissed } from 'plinth/scheduler'
 *
 * const schedule = { Spec: '@hourly', Specs: null, SpecType: 'cron', TimeZone: 'UTC' }
 * lastMissed(schedule, Date.UTC(2026, 0, 1, 8), Date.UTC(2026, 0, 1, 11, 30)) === Date.UTC(2026, 0, 1, 11) // true
 * ```
 */
export function lastMissed(schedule: Schedule, after: Instant, until: Instant): Instant | undefined {
  checkArguments('schedule after until', schedule, after, until)
  const isMet = (at: Instant | undefined) => at !== undefined && at <= until
  // Expressions without a match in the interval are not evaluated again.
  const met = timesOf(schedule).filter((next) => isMet(next(after)))
  if (met.length === 0) return undefined
  // Launches fall on whole seconds: there is at most one between two instants so close.
  let [low, high] = [after, until]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2)
    if (isMet(earliest(met, middle))) low = middle
    else high = middle
  }
  return earliest(met, low)
}

/**
 * All problems of a periodic job's schedule; empty if there are none. A disabled one is not checked.
 *
 * @example
 * ```ts
 * import { JobSpec, scheduleProblems } from 'plinth/scheduler'
 *
 * const { Periodic: nightly } = JobSpec.parse({ ID: 'report', Periodic: { Spec: '0 3 * * *' } })
 * nightly && scheduleProblems(nightly) // []
 * nightly && scheduleProblems({ ...nightly, Spec: 'at night' }).length // 1
 * ```
 */
export function scheduleProblems(config: PeriodicConfig): readonly string[] {
  checkArguments('config', config)
  if (!config.Enabled) return []
  const { Spec, Specs, SpecType, TimeZone } = config
  const problems: string[] = []
  if (Spec !== '' && Specs !== null && Specs.length > 0)
    problems.push('Only one of Spec and Specs may be given')
  if ((Specs?.length ?? 0) > maxSpecs) return [`Specs has more than ${maxSpecs} expressions`]
  if (specsOf(config).some((spec) => spec.trim() === '')) problems.push('Must specify a spec')
  if (offsetOf(TimeZone) === undefined)
    problems.push(`Invalid time zone ${JSON.stringify(shortened(TimeZone))}`)
  if (SpecType !== 'cron')
    return [...problems, `Unknown periodic specification type ${JSON.stringify(shortened(SpecType))}`]
  for (const spec of specsOf(config)) {
    if (spec.trim() === '') continue
    const read = parseCron(spec)
    if (!read.ok) problems.push(`Invalid cron spec ${JSON.stringify(shortened(spec))}: ${read.problem}`)
  }
  return problems
}
