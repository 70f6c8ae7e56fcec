import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import type { GroupAsk } from './ask.ts'
import type { Eligible } from './eligible.ts'
import type { SchedulerAlgorithm, Site } from './site.ts'

/**
 * An existing allocation of the job.
 */
export interface ExistingAllocation {
  readonly nodeId: string
  readonly group: string
}

/** The input of a placer. */
export interface PlacerInput {
  readonly job: JobSpec
  readonly group: TaskGroup
  readonly ask: GroupAsk
  /** All sites, by node. */
  readonly sites: ReadonlyMap<string, Site>
  /** The live allocations of the job. */
  readonly existing: Iterable<ExistingAllocation>
  readonly algorithm: SchedulerAlgorithm
  /** Finds the sites that can take the group; by default all are evaluated. */
  readonly eligible?: Eligible | undefined
}
