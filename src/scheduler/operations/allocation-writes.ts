import * as z from 'zod'
import { type Env, refuse } from '../../kernel/index.ts'
import { argument, like } from '../../operation/arguments.ts'
import { operation } from '../../operation/operation.ts'
import type { Snapshot } from '../../store/index.ts'
import { AllocationRecord } from '../allocations/model.ts'
import { type AllocationMove, moveAllocation } from '../allocations/move.ts'
import { type EvaluationTrigger, writtenWithIt } from '../evaluations/create.ts'
import { sameJson } from '../jobs/rules.ts'
import { readAllocation } from '../records/tables.ts'
import { permissionDenied, seenBy } from '../service/authenticate.ts'
import type { WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import type { SchedulerEvent } from '../service/events.ts'
import { followDeployment } from '../service/write/deployment-progress.ts'
import type { Ledger } from '../service/write/ledger.ts'
import { record } from '../service/write/record.ts'
import { evaluate } from '../service/write/specification.ts'
import { recordStop } from '../service/write/stop-allocation.ts'
import { wakeHealthWaits } from '../service/write/wait-for-healthy.ts'
import { rfc3339 } from '../values/instants.ts'
import { call, id } from './arguments.ts'

/**
 * A node's report on one of its allocations.
 */
export interface AllocationUpdate {
  readonly ID: string
  readonly ClientStatus?: AllocationRecord['ClientStatus'] | undefined
  readonly ClientDescription?: string | undefined
  readonly TaskStates?: AllocationRecord['TaskStates'] | undefined
  /** The result of its health checks, for its deployment. */
  readonly Healthy?: boolean | undefined
}

const update = z.object({
  ID: z.string(),
  ClientStatus: AllocationRecord.shape.ClientStatus.optional(),
  ClientDescription: z.string().optional(),
  TaskStates: AllocationRecord.shape.TaskStates.optional(),
  Healthy: z.boolean().optional(),
} satisfies Record<keyof AllocationUpdate, z.ZodType>)
const updates = argument<readonly AllocationUpdate[]>('updates', like(z.array(update)))

/** The lifecycle verb for a reported status. */
const verbs = {
  running: 'start',
  complete: 'finish',
  failed: 'fail',
  lost: 'lose',
  unknown: 'disconnect',
} as const satisfies Partial<Record<AllocationRecord['ClientStatus'], AllocationMove['verb']>>

/**
 * How many allocations one commit writes: each may belong to another job, which may be reverted to an earlier version.
 */
const batch = 2
/** Finds reports on missing allocations and impossible transitions, also for several reports on one allocation. */
const problem = (now: Snapshot, updates: readonly AllocationUpdate[], env: Env) => {
  const known = new Map<string, AllocationRecord>()
  for (const { ID, ClientStatus: to } of updates) {
    const allocation = known.get(ID) ?? readAllocation(now, ID)
    if (allocation === undefined) return refuse('allocation_not_found', 'alloc not found')
    if (to === undefined || to === allocation.ClientStatus) continue
    const verb = verbOf(allocation, to)
    const moved = verb && moveAllocation(allocation, { verb }, env)
    if (moved?.ok !== true)
      return refuse(
        'allocation_is_over',
        `allocation ${ID} is ${allocation.ClientStatus} and cannot become ${to}`,
      )
    known.set(ID, moved.state)
  }
  return undefined
}

/** What reports entail, found while they are applied. */
interface Entailed {
  readonly events: SchedulerEvent[]
  readonly deployments: Set<string>
  readonly failed: AllocationRecord[]
  readonly reconnected: AllocationRecord[]
}

/** Applies reports of nodes, with the consequences for deployments and jobs. @returns how many changed something */
function applyReports(ledger: Ledger, updates: readonly AllocationUpdate[], env: Env) {
  const entailed: Entailed = { events: [], deployments: new Set(), failed: [], reconnected: [] }
  let changed = 0
  for (const update of updates) {
    const before = ledger.allocation(update.ID)
    if (before === undefined) return refuse('allocation_not_found', 'alloc not found')
    const moved = asReported(before, update, entailed, env)
    if (!moved.ok) return moved
    const after = moved.value
    if (after === before) continue
    changed += 1
    ledger.putAllocation(after)
    const isJudged = after.DeploymentStatus !== before.DeploymentStatus
    if (after.JobType === 'service' && (isJudged || after.ClientStatus !== before.ClientStatus))
      wakeHealthWaits(ledger, { Namespace: after.Namespace, ID: after.JobID }, env)
    if (after.DeploymentID !== '') entailed.deployments.add(after.DeploymentID)
  }
  evaluateEntailed(ledger, entailed, env)
  return { ok: true as const, value: changed, events: entailed.events }
}

/** An allocation with the status, tasks and health that its node reports; the same object if nothing is new. */
function asReported(before: AllocationRecord, update: AllocationUpdate, entailed: Entailed, env: Env) {
  let after = before
  const { ClientStatus: to, Healthy: healthy, TaskStates } = update
  if (to !== undefined && to !== before.ClientStatus) {
    const verb = verbOf(before, to)
    const moved = verb && moveAllocation(before, { verb, description: update.ClientDescription }, env)
    if (moved === undefined) return refuse('allocation_is_over', `cannot become ${to}`)
    if (!moved.ok) return moved
    after = moved.state
    entailed.events.push(...moved.events)
    // A system job has no reschedule policy: a quickly failing one would be replaced endlessly. The next
    // change of its node or of the job evaluates it again.
    if (to === 'lost' || (to === 'failed' && after.JobType !== 'system')) entailed.failed.push(after)
    if (verb === 'reconnect') entailed.reconnected.push(after)
  }
  if (TaskStates !== undefined && !sameJson(TaskStates, after.TaskStates))
    after = Object.assign({}, after, { TaskStates })
  if (healthy !== undefined && healthy !== after.DeploymentStatus?.Healthy)
    after = Object.assign({}, after, {
      DeploymentStatus: {
        Canary: after.DeploymentStatus?.Canary ?? false,
        ModifyIndex: writtenWithIt,
        Healthy: healthy,
        Timestamp: rfc3339(env.now),
      },
    })
  return { ok: true as const, value: after }
}

/** Continues roll-outs, and evaluates jobs whose allocations failed or returned. */
function evaluateEntailed(
  ledger: Ledger,
  { events, deployments, failed, reconnected }: Entailed,
  env: Env,
): void {
  for (const id of deployments) {
    events.push(...followDeployment(ledger, id, env))
    const deployment = ledger.deployment(id)
    if (deployment?.Status !== 'running') continue
    const job = ledger.job({ Namespace: deployment.Namespace, ID: deployment.JobID })
    // A roll-out continues with every allocation that becomes healthy.
    if (job !== undefined)
      evaluate(ledger, job.value, 'deployment-watcher', env, {
        deploymentId: id,
        jobModifyIndex: job.modified,
      })
  }
  const lookAt = ({ Namespace, JobID }: AllocationRecord, trigger: EvaluationTrigger) => {
    const job = ledger.job({ Namespace, ID: JobID })
    if (job !== undefined && !job.value.Stop)
      evaluate(ledger, job.value, trigger, env, { jobModifyIndex: job.modified })
  }
  for (const each of failed) lookAt(each, 'alloc-failure')
  for (const each of reconnected) lookAt(each, 'reconnect')
}

/** The operations that change allocations. */
export const allocationWriteOperations = {
  /**
   * Reports the status of allocations as their nodes would: statuses, task states, health. The consequences for jobs
   * and deployments are written in the same commit. Requires `node:write`.
   *
   * @returns how many changed; writes nothing if one is unknown or over
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.load({ jobs: [{ ID: 'web' }], allocations: [{ ID: 'a1', JobID: 'web' }] })
   * await scheduler.updateAllocations([{ ID: 'a1', ClientStatus: 'running' }])
   * const found = await scheduler.readAllocation('a1')
   * found.ok && found.value.ClientStatus // 'running'
   * ```
   */
  updateAllocations: operation({
    takes: [updates, call],
    refuses: ['permission_denied', 'allocation_not_found', 'allocation_is_over'],
    run: (cluster: Cluster, updates: readonly AllocationUpdate[], call: WriteCall = {}) =>
      enter(cluster, call, async ({ now, access }) => {
        if (!access.coarse('node', 'write')) return permissionDenied()
        const refused = problem(now, updates, cluster.env())
        if (refused !== undefined) return refused
        let [index, count] = [now.rev, 0]
        for (let at = 0; at < updates.length; at += batch) {
          const some = updates.slice(at, at + batch)
          const { answer, rev } = await record(cluster, (ledger, env) => applyReports(ledger, some, env))
          if (!answer.ok) return answer
          index = rev
          count += answer.value
        }
        return { ok: true as const, value: { Updated: count }, index }
      }),
  }),

  /**
   * Stops one allocation, which is then replaced; requires `namespace:alloc-lifecycle`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.load({ jobs: [{ ID: 'web' }], allocations: [{ ID: 'a1', JobID: 'web' }] })
   * await scheduler.stopAllocation('a1')
   * const found = await scheduler.readAllocation('a1')
   * found.ok && found.value.DesiredStatus // 'stop'
   * ```
   */
  stopAllocation: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'allocation_not_found'],
    run: (cluster: Cluster, id: string, call: WriteCall = {}) =>
      enter(cluster, call, async ({ now, access }) => {
        const found = seenBy(access, readAllocation(now, id), 'alloc-lifecycle')
        if (!access.namespace(found?.Namespace ?? 'default', 'alloc-lifecycle')) return permissionDenied()
        const { answer, rev } = await record(cluster, (ledger, env) => {
          const allocation = found && ledger.allocation(id)
          if (allocation === undefined) return refuse('allocation_not_found', 'alloc not found')
          const why = { description: 'alloc was stopped by a user', migrate: true }
          const events = recordStop(cluster, ledger, allocation, why, env)
          if (events.length === 0) return { ok: true, value: { EvalID: '' }, events }
          const job = ledger.job({ Namespace: allocation.Namespace, ID: allocation.JobID })
          const evaluation =
            job && evaluate(ledger, job.value, 'alloc-stop', env, { jobModifyIndex: job.modified })
          return { ok: true, value: { EvalID: evaluation?.ID ?? '' }, events }
        })
        return answer.ok ? { ...answer, index: rev } : answer
      }),
  }),
}

const verbOf = (
  { ClientStatus }: AllocationRecord,
  to: AllocationRecord['ClientStatus'],
): AllocationMove['verb'] | undefined => {
  if (to === 'pending') return undefined
  return to === 'running' && ClientStatus === 'unknown' ? 'reconnect' : verbs[to]
}
