import type { Env, Instant } from '../../kernel/index.ts'
import type { AllocationRecord } from '../allocations/model.ts'
import type { DeploymentRecord } from '../deployments/model.ts'
import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'

/**
 * The fields of an allocation that decisions need.
 */
export type SeenAllocation = Pick<
  AllocationRecord,
  | 'ID'
  | 'Name'
  | 'TaskGroup'
  | 'NodeID'
  | 'JobVersion'
  | 'DesiredStatus'
  | 'DesiredTransition'
  | 'ClientStatus'
  | 'DeploymentID'
  | 'DeploymentStatus'
  | 'PreviousAllocation'
  | 'NextAllocation'
  | 'FollowupEvalID'
  | 'RescheduleTracker'
  | 'Metrics'
  | 'TaskStates'
  | 'CreateTime'
  | 'ModifyTime'
>

/**
 * A job's allocations and the state of its roll-out.
 */
export interface ReconcileState {
  readonly job: JobSpec
  readonly allocations: readonly SeenAllocation[]
  /** The deployment of the current version, if there is one. */
  readonly deployment?:
    | (Pick<DeploymentRecord, 'Status' | 'TaskGroups'> & { readonly ID?: string })
    | undefined
  /** The newest earlier version that was deployed successfully. */
  readonly stable?: number | undefined
}

/**
 * The effects of nodes and earlier versions on the allocations of a job.
 */
export interface ReconcileInput {
  /** Whether a node should be left now because it is draining; none by default. */
  readonly leaves?: ((nodeId: string) => boolean) | undefined
  /** Whether an allocation is of the current version, the default, or of one with the same tasks. */
  readonly unchanged?: ((allocation: SeenAllocation) => boolean) | undefined
  /** Whether an allocation may stay on its node according to the job's constraints; all may by default. */
  readonly fits?: ((allocation: SeenAllocation) => boolean) | undefined
}

/** State, input and instant together, with their defaults. */
export type ReconcileFacts = ReconcileState & {
  readonly [Name in keyof ReconcileInput]-?: NonNullable<ReconcileInput[Name]>
} & { readonly now: Instant }

export const reconcileFactsOf = (
  state: ReconcileState,
  { leaves, unchanged, fits }: ReconcileInput,
  { now }: Pick<Env, 'now'>,
): ReconcileFacts => ({
  ...state,
  leaves: leaves ?? (() => false),
  unchanged: unchanged ?? (({ JobVersion }) => JobVersion === state.job.Version),
  fits: fits ?? (() => true),
  now,
})

/**
 * An allocation to stop, and why.
 */
export interface Stopping {
  readonly id: string
  /** One that is {@link descriptions.unknown} is only replaced: it may return. */
  readonly description: string
}

/**
 * The next actions for one task group, of one version.
 */
export interface GroupWork {
  readonly group: TaskGroup
  /** The earlier version to place; `undefined` for the current one. */
  readonly version: number | undefined
  /** How many to place, as canaries or not. */
  readonly place: number
  readonly canary: boolean
  /** Allocations to stop now. */
  readonly stop: readonly Stopping[]
  /**
   * Allocations to replace: each placement replaces one of these, which stops if it has not stopped yet.
   */
  readonly replace: readonly Stopping[]
  /** Allocations of earlier versions that move to the current one unchanged. */
  readonly update: readonly string[]
  /** Failed and lost allocations to replace later, and when. */
  readonly later: readonly { readonly id: string; readonly at: Instant }[]
  /** When to look again, at the latest, because allocations on draining nodes may leave then. */
  readonly again: Instant | undefined
}

export const descriptions = {
  notNeeded: 'alloc not needed due to job update',
  updating: 'alloc is being updated due to job update',
  migrating: 'alloc is being migrated',
  lost: 'alloc is lost since its node is down',
  rescheduled: 'alloc was rescheduled because it failed',
  unknown: 'alloc is unknown since its node is disconnected',
} as const

/** No work for a group. */
export const idle = (group: TaskGroup): GroupWork => ({
  group,
  version: undefined,
  place: 0,
  canary: false,
  stop: [],
  replace: [],
  update: [],
  later: [],
  again: undefined,
})

/** An allocation to stop, with why. */
export const because =
  (description: string) =>
  ({ ID }: Pick<SeenAllocation, 'ID'>) => ({ id: ID, description })
