import * as z from 'zod'
import { refuse } from '../../../kernel/index.ts'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import type { Json, Snapshot } from '../../../store/index.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import { isTerminalDeployment } from '../../deployments/rules.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { scaleJob } from '../../jobs/scale.ts'
import { ofIncarnation } from '../../jobs/work.ts'
import {
  allocationRecords,
  jobRecords,
  type ScalingEventRecord,
  type ScalingRecord,
  scalingRecords,
} from '../../records/collections.ts'
import type { ReadCall } from '../../service/call.ts'
import { type Cluster, indexOf } from '../../service/cluster.ts'
import { beginning } from '../../service/read/list.ts'
import type { Ledger } from '../../service/write/ledger.ts'
import { evaluate, writeVersion } from '../../service/write/specification.ts'
import { nanoseconds } from '../../values/instants.ts'
import { call, id } from '../arguments.ts'
import type { JobCall } from '../calls.ts'
import { actOnJob, registrationsClosed } from './act-on-job.ts'
import { jobWritten } from './job-written.ts'
import { readOfJob } from './read-of-job.ts'

/**
 * A request to scale a task group; without a count only a note of why it was not scaled.
 */
export interface JobScaled {
  readonly group: string
  readonly count?: number | undefined
  readonly message?: string | undefined
  /** Whether the message is an error; then there is no count. */
  readonly error?: boolean | undefined
  readonly meta?: Readonly<Record<string, Json>> | undefined
  /** The JobModifyIndex the writer believes the job has. */
  readonly enforceIndex?: number | undefined
}

/**
 * One change of a task group's count, or why it was not changed.
 */
export interface ScalingEvent extends Omit<ScalingEventRecord, 'CreateIndex'> {
  readonly CreateIndex: number
}

/**
 * The desired and the actual number of allocations of a task group.
 */
export interface TaskGroupScaleStatus {
  readonly Desired: number
  readonly Placed: number
  readonly Running: number
  readonly Healthy: number
  readonly Unhealthy: number
  /** Newest first; the last twenty are kept. */
  readonly Events: readonly ScalingEvent[]
}

/**
 * The scaling status of a job.
 */
export interface JobScaleStatus {
  readonly JobID: string
  readonly Namespace: string
  readonly JobCreateIndex: number
  readonly JobModifyIndex: number
  readonly JobStopped: boolean
  readonly TaskGroups: Readonly<Record<string, TaskGroupScaleStatus>>
}

const keptEvents = 20

const scaling = argument<JobScaled>(
  'input',
  fields({
    group: z.string(),
    count: z.number().optional(),
    message: z.string().optional(),
    error: z.boolean().optional(),
    meta: z.record(z.string(), z.unknown()).optional(),
    enforceIndex: z.number().optional(),
  } satisfies Record<keyof JobScaled, z.ZodType>),
)

/** The operations that scale jobs. */
export const scaleOperations = {
  /**
   * Scales a task group; requires `namespace:scale-job` or `submit-job`. Refused while
   * a deployment of the job is under way.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
   * await scheduler.scaleJob('web', { group: 'app', count: 5 })
   * const found = await scheduler.readJob('web')
   * found.ok && found.value.TaskGroups[0]?.Count // 5
   * ```
   */
  scaleJob: operation({
    takes: [id, scaling, call],
    refuses: [
      'permission_denied',
      'job_not_found',
      'registration_disabled',
      'unknown_scaling_group',
      'invalid_scaling',
      'job_index_mismatch',
      'scaling_blocked',
    ],
    run: (cluster: Cluster, id: string, input: JobScaled, call: JobCall = {}) =>
      actOnJob(
        cluster,
        id,
        call,
        { may: ['scale-job', 'submit-job'], refused: registrationsClosed },
        (ledger, job, env) => {
          const { group, count, error = false, enforceIndex = 0 } = input
          if (count !== undefined && error)
            return refuse('invalid_scaling', 'scaling action should not contain count if error is true')
          const found = job.value.TaskGroups.find(({ Name }) => Name === group)
          const outcome = scaleJob(job.value, { group, count: count ?? found?.Count ?? 0 }, env, cluster)
          if (!outcome.ok) return outcome
          const event = { ...input, time: nanoseconds(env.now), previous: found?.Count ?? 0 }
          if (count === undefined) {
            noteScaling(ledger, job.value, event, null)
            return { ok: true, value: (rev) => jobWritten(undefined, rev, job.modified), events: [] }
          }
          if (enforceIndex > 0 && enforceIndex !== job.modified)
            return refuse(
              'job_index_mismatch',
              `Enforcing job modify index ${enforceIndex}: job exists with conflicting job modify index: ${job.modified}`,
            )
          if (ledger.deployments(job.value).some((each) => !isTerminalDeployment(each)))
            return refuse('scaling_blocked', 'job scaling blocked due to active deployment')
          const { written } = outcome.value
          const moved = written ? writeVersion(ledger, outcome.state, env) : []
          const known = written ? undefined : job.modified
          const evaluation = evaluate(ledger, outcome.state, 'job-scaling', env, { jobModifyIndex: known })
          noteScaling(ledger, job.value, event, evaluation?.ID ?? null)
          return {
            ok: true,
            value: (rev) => jobWritten(evaluation, rev, known),
            events: [...outcome.events, ...moved],
          }
        },
      ),
  }),

  /**
   * Reads the scaling status of a job; requires `namespace:read-job` or `read-job-scaling`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
   * await scheduler.scaleJob('web', { group: 'app', count: 5, message: 'Monday' })
   * const scale = await scheduler.readJobScale('web')
   * scale.ok && scale.value.TaskGroups['app']?.Events[0]?.Message // 'Monday'
   * ```
   */
  readJobScale: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'job_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      readOfJob(cluster, ['job-scale', id], call, ['read-job', 'read-job-scaling'], (at, namespace) => {
        const value = scaleStatusAt(cluster, at, namespace, id)
        const keys = [
          jobRecords.keyOf(namespace, id),
          scalingRecords.keyOf(namespace, id),
          allocationRecords.markOf('job', namespace, id),
        ]
        return value && { value, index: indexOf(at, keys), keys }
      }),
  }),
}

function noteScaling(
  { tx }: Ledger,
  { Namespace, ID }: JobSpec,
  event: JobScaled & { readonly time: number; readonly previous: number },
  EvalID: string | null,
): void {
  const before = tx.get(scalingRecords, Namespace, ID)
  const groups = new Map(Object.entries(before?.value.Groups ?? {}))
  // The stored newest event was written with the record: now its index is known.
  for (const [name, events] of groups)
    groups.set(
      name,
      events.map((each) => ({ ...each, CreateIndex: each.CreateIndex ?? before?.modified ?? 0 })),
    )
  const added: ScalingEventRecord = {
    Time: event.time,
    Count: event.count ?? null,
    PreviousCount: event.previous,
    Error: event.error ?? false,
    Message: event.message ?? '',
    Meta: event.meta ?? null,
    EvalID,
    CreateIndex: null,
  }
  groups.set(event.group, [added, ...(groups.get(event.group) ?? [])].slice(0, keptEvents))
  const record: ScalingRecord = { Namespace, JobID: ID, Groups: Object.fromEntries(groups) }
  tx.put(scalingRecords, record)
}

function scaleStatusAt(
  { tables }: Cluster,
  now: Snapshot,
  namespace: string,
  id: string,
): JobScaleStatus | undefined {
  const job = jobRecords.get(now, namespace, id)
  if (job === undefined) return undefined
  const scaling = scalingRecords.get(now, namespace, id)
  const live = tables.allocations
    .at(now)
    .by('job')
    .scan({ prefix: beginning([namespace, id]) })
    .filter((each) => ofIncarnation(each, job.created) && !isTerminalAllocation(each))
  const groups = job.value.TaskGroups.map(({ Name, Count }): [string, TaskGroupScaleStatus] => {
    const placed = live.filter(({ TaskGroup }) => TaskGroup === Name)
    const events = new Map(Object.entries(scaling?.value.Groups ?? {})).get(Name) ?? []
    return [
      Name,
      {
        Desired: Count,
        Placed: placed.length,
        Running: placed.filter(({ ClientStatus }) => ClientStatus === 'running').length,
        Healthy: placed.filter(({ DeploymentStatus }) => DeploymentStatus?.Healthy === true).length,
        Unhealthy: placed.filter(({ DeploymentStatus }) => DeploymentStatus?.Healthy === false).length,
        Events: events.map((each) => ({ ...each, CreateIndex: each.CreateIndex ?? scaling?.modified ?? 0 })),
      },
    ]
  })
  return {
    JobID: id,
    Namespace: namespace,
    JobCreateIndex: job.created,
    JobModifyIndex: job.modified,
    JobStopped: job.value.Stop,
    TaskGroups: Object.fromEntries(groups),
  }
}
