import { restingAfterSlices } from '../../../kernel/in-slices.ts'
import { type Env, refuse } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { operation } from '../../../operation/operation.ts'
import type { Snapshot } from '../../../store/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { type AllocationStub, allocationStub } from '../../allocations/stub.ts'
import { assembleEvaluation } from '../../evaluations/assemble.ts'
import type { Evaluation } from '../../evaluations/model.ts'
import type { JobDiff, TaskGroupDiff } from '../../jobs/diff.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { inRegion } from '../../jobs/region.ts'
import { registerJob } from '../../jobs/register.ts'
import { sameTasksIn } from '../../jobs/same-tasks.ts'
import { jobWarnings, listWarnings } from '../../jobs/warnings.ts'
import { ofIncarnation } from '../../jobs/work.ts'
import { nextLaunch } from '../../periodic/schedule.ts'
import { type DesiredUpdates, desiredUpdates } from '../../placement/desired-updates.ts'
import type { GroupWork } from '../../placement/group-work.ts'
import type { PlacementMetrics } from '../../placement/metrics-model.ts'
import { jobRecords } from '../../records/collections.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { Cluster } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { beginning } from '../../service/read/list.ts'
import { unknownNamespace } from '../../service/read/namespaces-at.ts'
import { poolAt } from '../../service/read/pools-at.ts'
import { foundNow } from '../../service/read/read.ts'
import { blockedEvaluation } from '../../service/write/close-evaluation.ts'
import { type PlacementRun, placementRun, type Unplaced } from '../../service/write/placement-run.ts'
import { deploymentFor, schedulingInput, worksOf } from '../../service/write/scheduling-input.ts'
import { never, rfc3339 } from '../../values/instants.ts'
import { call, job } from '../arguments.ts'
import type { PlanJobCall } from '../calls.ts'

/**
 * The effects that registering a job would have. Nothing is written.
 */
export interface JobPlan {
  /**
   * The current JobModifyIndex of the job; 0 if it is new. Register with it to make sure that the job has not changed
   * since the plan.
   */
  readonly JobModifyIndex: number
  /** `null` unless asked for. */
  readonly Diff: JobDiff | null
  readonly Annotations: {
    /** The effects of the first step, by task group. */
    readonly DesiredTGUpdates: Readonly<Record<string, DesiredUpdates>>
    /** The allocations of less important jobs that would be evicted. */
    readonly PreemptedAllocs: readonly AllocationStub[]
  }
  /** By task group, why allocations would find no place; `null` where all do. */
  readonly FailedTGAllocs: Readonly<Record<string, PlacementMetrics>> | null
  /** The evaluation that would wait for room for allocations without a place; `null` where all have one. */
  readonly CreatedEvals: readonly Evaluation[] | null
  /** When a periodic job would be launched first; the zero time for none. */
  readonly NextPeriodicLaunch: string
  readonly Warnings: string
}

export const planOperations = {
  /**
   * Plans the registration of a job: its diff, and the effects of placing it; requires `namespace:submit-job`.
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
      'unknown_job_namespace',
    ],
    run: (cluster: Cluster, written: JobSpec, call: PlanJobCall = {}) =>
      enter(cluster, call, async ({ now, access }) => {
        const job = inRegion(written, cluster.region)
        if (!access.namespace(job.Namespace, 'submit-job')) return permissionDenied()
        const rest = restingAfterSlices()
        const env = cluster.env()
        const checked = registerJob(undefined, { job }, env, {
          jobModifyIndex: 0,
          maxCount: cluster.maxCount,
        })
        if (!checked.ok) return checked
        const before = jobRecords.get(now, job.Namespace, job.ID)
        await rest()
        const policy = { jobModifyIndex: before?.modified ?? 0, maxCount: cluster.maxCount }
        const outcome = registerJob(before?.value, { job }, env, policy)
        if (!outcome.ok) return outcome
        if (poolAt(now, job.NodePool) === undefined)
          return refuse('unknown_job_pool', `job "${job.ID}" is in nonexistent node pool "${job.NodePool}"`)
        const lost = unknownNamespace(cluster, now, job)
        if (lost !== undefined) return lost
        const next = outcome.state ?? job
        await rest()
        const { updates, unplaced, preempted } = await placing(cluster, now, { before, next, env })
        const diff =
          call.diff === true ? (await import('../../jobs/diff.ts')).diffJobs(before?.value, next) : null
        await rest()
        const { Periodic } = next
        const launch = Periodic?.Enabled ? nextLaunch(Periodic, env.now) : undefined
        const jobModifyIndex = before?.modified ?? 0
        const waiting = () =>
          assembleEvaluation(
            blockedEvaluation({ job: next, jobModifyIndex, previous: '' }, unplaced, env),
            0,
            0,
          )
        const value: JobPlan = {
          JobModifyIndex: jobModifyIndex,
          Diff: diff && annotated(diff, before?.value, next, updates),
          Annotations: { DesiredTGUpdates: updates, PreemptedAllocs: preempted },
          FailedTGAllocs: unplaced.size > 0 ? failedIn(unplaced) : null,
          CreatedEvals: unplaced.size > 0 ? [waiting()] : null,
          NextPeriodicLaunch: launch === undefined ? never : rfc3339(launch),
          Warnings: listWarnings(jobWarnings(next, cluster.env())),
        }
        return foundNow(cluster, value, before?.modified ?? 1)
      }),
  }),
}

/** The effects of the first placement step, and the placements that would fail. */
async function placing(
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
): Promise<{
  readonly updates: Readonly<Record<string, DesiredUpdates>>
  readonly unplaced: ReadonlyMap<string, Unplaced>
  readonly preempted: JobPlan['Annotations']['PreemptedAllocs']
}> {
  // Such jobs only have children.
  if (job.Periodic !== null || job.ParameterizedJob !== null)
    return { updates: {}, unplaced: new Map(), preempted: [] }
  const created = before?.created ?? 0
  const range = { prefix: beginning([job.Namespace, job.ID]) }
  const { tables } = cluster
  const allocations =
    before === undefined
      ? []
      : tables.allocations
          .at(now)
          .by('phase')
          .scan({ prefix: beginning([job.Namespace, job.ID, 'open']) })
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
  // A plan works on copies: the sites of the fleet stay unchanged.
  const own = cluster.fleet.at(now, job.NodePool)
  const sites = new Map([...own].map(([id, site]) => [id, site.copy()]))
  const run = placementRun(cluster, now, { input: looked, works, sites, endsAtOnce: () => true })
  const rows = tables.allocations.at(now)
  for (const { id } of works.flatMap(({ stop }) => stop)) {
    const row = rows.get(id)
    if (row !== undefined) run.stopped(row)
  }
  const { wanted, preempted, victims } = await placeAll(run, works, job)
  return {
    updates: desiredUpdates(works, allocations, wanted, preempted),
    unplaced: run.unplaced,
    preempted: victims
      .flatMap(({ ID }) => rows.get(ID) ?? [])
      .map((each) => allocationStub(each, { resources: true })),
  }
}

/** Places all works of a job: how many each wants and preempts, in their order, and what would be preempted. */
async function placeAll(run: PlacementRun, works: readonly GroupWork[], job: JobSpec) {
  const wanted: number[] = []
  const preempted: number[] = []
  const victims: AllocationRecord[] = []
  for (const [at, work] of works.entries()) {
    const failed = () => run.unplaced.get(work.group.Name)?.count ?? 0
    const failedBefore = failed()
    let placed = 0
    preempted[at] = 0
    for (;;) {
      const placement = run.next(work, { job, group: work.group }, true)
      if (placement === undefined || placement === 'later' || 'makesRoom' in placement) break
      placed += 1
      preempted[at] += placement.preempted.length
      victims.push(...placement.preempted)
      if (placed % slice === 0) await nextMacrotask()
    }
    wanted[at] = placed + failed() - failedBefore
  }
  return { wanted, preempted, victims }
}

/** Why allocations found no place, by task group. */
const failedIn = (unplaced: ReadonlyMap<string, Unplaced>): NonNullable<JobPlan['FailedTGAllocs']> =>
  Object.fromEntries([...unplaced].map(([group, { metrics }]) => [group, metrics]))

/** How many allocations are placed before the event loop continues. */
const slice = 500

const kinds = {
  Place: 'create',
  Stop: 'destroy',
  Migrate: 'migrate',
  InPlaceUpdate: 'in-place update',
  DestructiveUpdate: 'create/destroy update',
  Canary: 'canary',
  Ignore: 'ignore',
} as const satisfies Partial<Record<keyof DesiredUpdates, string>>

/** A change with its consequences. */
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
        const number = found?.[count as keyof typeof kinds] ?? 0 // a key of that very table => a key of the table
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
