import type { Env, Instant } from '../../../kernel/index.ts'
import type { PeriodicConfig } from '../../jobs/model.ts'
import { keepsSchedule, launchPeriodicJob } from '../../periodic/launch.ts'
import { lastMissed, nextLaunch } from '../../periodic/schedule.ts'
import { jobRecords, launchRecords, noteLaunch } from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'
import type { JobName, Ledger } from '../write/ledger.ts'
import { done, mustRecord } from '../write/record.ts'
import { evaluate } from '../write/specification.ts'
import { type Alarms, retryPause } from './alarms.ts'

/**
 * Launches periodic jobs by their schedules. If launches were missed while no server ran, one is made for all of them, at
 * once, and named after that instant.
 *
 * @returns what to call with the keys of records that changed
 */
export function launches(cluster: Cluster, alarms: Alarms): (keys: readonly string[]) => void {
  const { view, env } = cluster
  const opened = env().now
  const tracked = new Map<string, { readonly name: JobName; readonly config: PeriodicConfig }>()
  // In sequence: only then is it known whether a child of the previous launch still runs.
  let last: Promise<unknown> = Promise.resolve()

  const launch = (key: string, at: Instant) => {
    const job = tracked.get(key)
    if (job === undefined) return
    const now = env()
    due.set(key, nextLaunch(job.config, now.now))
    const work = last.then(() => launchMissed(cluster, job.name, { at, opened }, now))
    // A launch that the store did not accept is missed, and made once the store is back.
    last = work.catch(() => due.setIn(key, retryPause))
    alarms.run(work)
  }
  const due = alarms.kind(launch, () => [...tracked.keys()].forEach(track))

  const track = (key: string) => {
    const now = view.stale()
    const entry = now.get(key)
    const spec = entry && jobRecords.stored(entry).value
    if (spec === undefined || spec.Periodic === null || !keepsSchedule(spec)) {
      tracked.delete(key)
      due.set(key, undefined)
      return
    }
    const config = spec.Periodic
    tracked.set(key, { name: { Namespace: spec.Namespace, ID: spec.ID }, config })
    const until = env().now
    // Never later than now: the clock may have been ahead when it was recorded.
    const from = Math.min(launchRecords.get(now, spec.Namespace, spec.ID)?.value.LaunchedAt ?? until, until)
    due.set(key, lastMissed(config, from, until) ?? nextLaunch(config, from))
  }

  for (const { key, value } of view.stale().scan({ prefix: jobRecords.prefix }))
    if (isPeriodic(value)) track(key)
  return (keys) => {
    for (const key of keys) if (key.startsWith(jobRecords.prefix)) track(key)
  }
}

const isPeriodic = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'Periodic' in value && value.Periodic !== null

/**
 * Makes the most recent due launch that was not made, unless a running child prohibits it.
 *
 * @param due - `at`: when this one was; `opened`: since when this server could have made it
 */
async function launchMissed(
  cluster: Cluster,
  name: JobName,
  due: { readonly at: Instant; readonly opened: Instant },
  env: Env,
): Promise<void> {
  await mustRecord(cluster, (ledger) => {
    const parent = ledger.job(name)?.value
    const config = parent?.Periodic ?? null
    if (parent === undefined || config === null || !keepsSchedule(parent)) return done()
    const { Namespace, ID } = name
    const noted = ledger.tx.get(launchRecords, Namespace, ID)?.value.LaunchedAt
    const missed = lastMissed(config, noted === undefined || noted > env.now ? due.at - 1 : noted, env.now)
    if (missed === undefined) return done()
    const at = missed < due.opened ? env.now : missed
    const outcome = launchPeriodicJob(parent, { at }, env)
    if (!outcome.ok || ledger.job(outcome.value) !== undefined) return done()
    noteLaunch(ledger.tx, name, at)
    if (config.ProhibitOverlap && hasLiveChild(cluster, ledger, name)) return done()
    ledger.putJob(outcome.value)
    evaluate(ledger, outcome.value, 'periodic-job', env)
    return done(outcome.events)
  })
}

function hasLiveChild({ tables }: Cluster, { tx }: Ledger, { Namespace, ID }: JobName): boolean {
  tx.guard(jobRecords.name, 'children', Namespace, ID)
  const children = tables.jobs
    .at(tx.now)
    .by('parent')
    .scan({ prefix: beginning([Namespace, ID]) })
  return children.some(({ Status }) => Status !== 'dead')
}
