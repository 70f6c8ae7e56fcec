import * as z from 'zod'
import { Allocation, TaskState } from '../allocations/model.ts'
import { Job } from '../jobs/model.ts'
import { TaskGroup } from '../jobs/task-group.ts'
import { mapOf } from '../values/map.ts'

/**
 * An allocation for the runner of its node, with the specification to run.
 */
export const runnerAllocation = Allocation.extend({
  Job: Job.pick({
    ID: true,
    Name: true,
    Namespace: true,
    Type: true,
    Meta: true,
    Payload: true,
    Update: true,
  }).nullable(),
  Group: TaskGroup.nullable(),
}) satisfies z.ZodType<RunnerAllocation>
/**
 * An allocation for the runner of its node, with the specification to run.
 */
export interface RunnerAllocation extends Allocation {
  /** The job of that version; null if the version is no longer stored, so that nothing more can be started. */
  Job: Pick<Job, 'ID' | 'Name' | 'Namespace' | 'Type' | 'Meta' | 'Payload' | 'Update'> | null
  /** The task group of that version. */
  Group: TaskGroup | null
}

const rfc3339 = z.iso.datetime({ offset: true }).nullable().default(null)

/** A task in a runner's report: stored ones may come from other sources, and are not validated. */
const ReportedTask = TaskState.extend({
  State: z.enum(['pending', 'running', 'dead']).default('pending'),
  StartedAt: rfc3339,
  FinishedAt: rfc3339,
})

/**
 * A runner's report on one of its allocations.
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
 * A runner's report on one of its allocations.
 */
export interface RunnerReport extends z.input<typeof RunnerReport> {}

/**
 * The heartbeat settings of a runner.
 */
export interface RunnerRegistered {
  readonly NodeID: string
  /** The generated secret of the node; null if the runner supplied its own. It is returned once. */
  readonly SecretID: string | null
  /** A node that is silent for so long is lost. */
  readonly HeartbeatTTLMs: number
}

/**
 * The answer to a heartbeat.
 */
export interface RunnerHeard {
  readonly NodeID: string
  readonly Status: string
  readonly HeartbeatTTLMs: number
}
