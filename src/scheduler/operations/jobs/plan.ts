import { type Env, refuse } from '../../../kernel/index.ts'
import { operation } from '../../../operation/operation.ts'
import type { Snapshot } from '../../../store/index.ts'
import { diffJobs, type JobDiff, type TaskGroupDiff } from '../../jobs/diff.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { inRegion } from '../../jobs/region.ts'
import { registerJob } from '../../jobs/register.ts'
import { sameTasksIn } from '../../jobs/same-tasks.ts'
import { jobWarnings, listWarnings } from '../../jobs/warnings.ts'
import { ofIncarnation } from '../../jobs/work.ts'
import { nextLaunch } from '../../periodic/schedule.ts'
import { type DesiredUpdates, desiredUpdates } from '../../placement/desired-updates.ts'
import { place } from '../../placement/place.ts'
import { jobRecords } from '../../records/collections.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { Cluster } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { beginning } from '../../service/read/list.ts'
import { poolAt } from '../../service/read/pools-at.ts'
import { foundNow } from '../../service/read/read.ts'
import { algorithmOf, freedBy, occupiedBy, usedOn, withPlacements } from '../../service/write/capacity.ts'
import { deploymentFor, schedulingInput, worksOf } from '../../service/write/scheduling-input.ts'
import { never, rfc3339 } from '../../values/instants.ts'
import { call, job } from '../arguments.ts'
import type { PlanJobCall } from '../calls.ts'

/**
 * What registering a job would come to. Nothing of it is written.
 *
 * @public
 */
export interface JobPlan {
  /** The JobModifyIndex of the job as it is; 0 where it is new. Register with it, and nothing else was meant. */
  readonly JobModifyIndex: number
  /** `null` unless asked for. */
  readonly Diff: JobDiff | null
  readonly Annotations: {
    /** By task group, what the first step would do. */
    readonly DesiredTGUpdates: Readonly<Record<string, DesiredUpdates>>
  }
  /** By task group, how many would find no room beside the first that does not; `null` where all do. */
  readonly FailedTGAllocs: Readonly<Record<string, { readonly CoalescedFailures: number }>> | null
  readonly CreatedEvals: null
  /** When a periodic job would be launched first; the zero time for none. */
  readonly NextPeriodicLaunch: string
  readonly Warnings: string
}

export const planOperations = {
  /**
   * Plans the registration of a job: how it differs, and what placing it would do; asks for `namespace:submit-job`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const job = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] }
   * const plan = await scheduler.planJob(job, { diff: true })
   * plan.ok && plan.value.Diff?.Type // 'Added'
   * ```
   */
  planJob: operation({
    takes: [job, call],
    refuses: [
      'permission_denied',
      'invalid_job',
      'job_type_changed',
      'job_index_mismatch',
      'unknown_job_pool',
    ],
    run: (cluster: Cluster, written: JobSpec, call: PlanJobCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        const job = inRegion(written, cluster.region)
        if (!access.namespace(job.Namespace, 'submit-job')) return permissionDenied()
        const env = cluster.env()
        const checked = registerJob(undefined, { job }, env, { jobModifyIndex: 0 })
        if (!checked.ok) return checked
        const before = jobRecords.get(now, job.Namespace, job.ID)
        const policy = { jobModifyIndex: before?.modified ?? 0 }
        const outcome = registerJob(before?.value, { job }, env, policy)
        if (!outcome.ok) return outcome
        if (poolAt(now, job.NodePool) === undefined)
          return refuse('unknown_job_pool', `job "${job.ID}" is in nonexistent node pool "${job.NodePool}"`)
        const next = outcome.state ?? job
        const { updates, failed } = placing(cluster, now, { before, next, env })
        const diff = call.diff === true ? diffJobs(before?.value, next) : null
        const { Periodic } = next
        const launch = Periodic?.Enabled ? nextLaunch(Periodic, env.now) : undefined
        const value: JobPlan = {
          JobModifyIndex: before?.modified ?? 0,
          Diff: diff && annotated(diff, before?.value, next, updates),
          Annotations: { DesiredTGUpdates: updates },
          FailedTGAllocs: failed,
          CreatedEvals: null,
          NextPeriodicLaunch: launch === undefined ? never : rfc3339(launch),
          Warnings: listWarnings(jobWarnings(next)),
        }
        return foundNow(cluster, value, before?.modified ?? 1)
      }),
  }),
}

/** What the first step of placing a job would do, and what would find no room. */
function placing(
  cluster: Cluster,
  now: Snapshot,
  {
    before,
    next: job,
    env,
  }: {
    readonly before: ReturnType<typeof jobRecords.get>
    readonly next: JobSpec
    readonly env: Env
  },
): {
  readonly updates: Readonly<Record<string, DesiredUpdates>>
  readonly failed: JobPlan['FailedTGAllocs']
} {
  // Such jobs only have children.
  if (job.Periodic !== null || job.ParameterizedJob !== null) return { updates: {}, failed: null }
  const created = before?.created ?? 0
  const range = { prefix: beginning([job.Namespace, job.ID]) }
  const { tables } = cluster
  const allocations =
    before === undefined
      ? []
      : tables.allocations
          .at(now)
          .by('job')
          .scan(range)
          .filter((row) => ofIncarnation(row, created))
  const looked = schedulingInput(cluster, now, { job, before: before?.value, allocations, now: env.now })
  const deployments =
    before === undefined
      ? []
      : tables.deployments
          .at(now)
          .by('job')
          .scan(range)
          .filter((row) => ofIncarnation(row, created))
  const known = deployments.findLast(({ JobVersion }) => JobVersion === job.Version)
  const indexes = { jobCreateIndex: created, jobModifyIndex: before?.modified ?? 0 }
  const works = worksOf(looked, known ?? deploymentFor(looked, deployments, indexes, env))
  const isSystem = job.Type.startsWith('sys')
  const gone = new Set(works.flatMap(({ stop }) => stop.map(({ id }) => id)))
  const rows = tables.allocations.at(now)
  let used = usedOn(cluster, now, looked.nodes, gone)
  const placed: number[] = []
  const failed = new Map<string, { readonly CoalescedFailures: number }>()
  for (const { group, place: count, replace } of works) {
    const wanted = isSystem ? count : Math.min(count, mostPlanned)
    const freed = freedBy(replace.slice(0, wanted), rows)
    const { placements } = place({
      job: { ...job, TaskGroups: [group] },
      wanted: { [group.Name]: wanted },
      nodes: looked.nodes,
      used,
      freed,
      occupied: occupiedBy(group.Name, looked.allocations),
      algorithm: algorithmOf(now, job.NodePool),
    })
    used = withPlacements(used, placements, freed)
    placed.push(placements.length)
    const lacking = placements.length < wanted && !isSystem ? count - placements.length : 0
    if (lacking > 0) failed.set(group.Name, { CoalescedFailures: lacking - 1 })
  }
  return {
    updates: desiredUpdates(works, allocations, placed),
    failed: failed.size > 0 ? Object.fromEntries(failed) : null,
  }
}

/** Nobody's cluster has room for more; a plan ends in good time. */
const mostPlanned = 2000

const kinds = {
  Place: 'create',
  Stop: 'destroy',
  Migrate: 'migrate',
  InPlaceUpdate: 'in-place update',
  DestructiveUpdate: 'create/destroy update',
  Canary: 'canary',
  Ignore: 'ignore',
} as const satisfies Partial<Record<keyof DesiredUpdates, string>>

/** A difference with what follows from it. */
function annotated(
  diff: JobDiff,
  before: JobSpec | undefined,
  after: JobSpec,
  updates: Readonly<Record<string, DesiredUpdates>>,
): JobDiff {
  const counts = new Map(Object.entries(updates))
  const unchanged = before === undefined ? () => false : sameTasksIn(before, after)
  const TaskGroups = diff.TaskGroups.map((group): TaskGroupDiff => {
    const found = counts.get(group.Name)
    const Updates = Object.fromEntries(
      Object.entries(kinds).flatMap(([count, kind]) => {
        const number = found?.[count as keyof typeof kinds] ?? 0 // a key of that very table
        return number > 0 ? [[kind, number]] : []
      }),
    )
    const stays = unchanged(group.Name)
    const edited = stays ? 'forces in-place update' : 'forces create/destroy update'
    const forced = { Added: 'forces create', Deleted: 'forces destroy', Edited: edited, None: edited }
    const Tasks = group.Tasks.map((task) => ({ ...task, Annotations: [forced[task.Type]] }))
    return { ...group, Tasks, Updates: Object.keys(Updates).length > 0 ? Updates : null }
  })
  return { ...diff, TaskGroups }
}
