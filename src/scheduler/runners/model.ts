import * as z from 'zod'
import { Allocation, TaskState } from '../allocations/model.ts'
import { Job } from '../jobs/model.ts'
import { TaskGroup } from '../jobs/task-group.ts'
import { mapOf } from '../values/map.ts'

/**
 * An allocation as the runner of its node is given it: with what there is to run.
 *
 * @public
 */
export const RunnerAllocation = Allocation.extend({
  /** The job of that version; null where the version is no longer kept, and nothing more can be started. */
  Job: Job.pick({ ID: true, Name: true, Namespace: true, Type: true, Meta: true, Update: true }).nullable(),
  /** The task group of that version. */
  Group: TaskGroup.nullable(),
})
/**
 * An allocation as the runner of its node is given it: with what there is to run.
 *
 * @public
 */
export interface RunnerAllocation extends z.infer<typeof RunnerAllocation> {}

const rfc3339 = z.iso.datetime({ offset: true }).nullable().default(null)

/** A task as a runner may report it: what is kept may come from elsewhere, and is read as it is. */
const ReportedTask = TaskState.extend({
  State: z.enum(['pending', 'running', 'dead']).default('pending'),
  StartedAt: rfc3339,
  FinishedAt: rfc3339,
})

/**
 * What a runner says of one of its allocations.
 *
 * @public
 */
export const RunnerReport = z.object({
  ID: z.string(),
  ClientStatus: z.enum(['pending', 'running', 'complete', 'failed']).optional(),
  ClientDescription: z.string().optional(),
  TaskStates: mapOf(ReportedTask).optional(),
  /** The verdict on its health, for its deployment. */
  Healthy: z.boolean().optional(),
})
/**
 * What a runner says of one of its allocations.
 *
 * @public
 */
export interface RunnerReport extends z.input<typeof RunnerReport> {}

/**
 * What a runner must know of how it is watched.
 *
 * @public
 */
export interface RunnerRegistered {
  readonly NodeID: string
  /** The secret that was drawn for the node; null where the runner brought its own. It is shown once. */
  readonly SecretID: string | null
  /** A node that is silent for so long is lost. */
  readonly HeartbeatTTLMs: number
}

/**
 * What a heartbeat is answered with.
 *
 * @public
 */
export interface RunnerHeard {
  readonly NodeID: string
  readonly Status: string
  readonly HeartbeatTTLMs: number
}
