import type { Env, Instant } from '../../kernel/index.ts'
import type { AllocationRecord } from '../allocations/model.ts'
import type { DeploymentRecord } from '../deployments/model.ts'
import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'

/**
 * An allocation as far as deciding what to do with it goes.
 *
 * @public
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
  | 'CreateTime'
  | 'ModifyTime'
>

/**
 * What a job has and how its roll-out stands.
 *
 * @public
 */
export interface ReconcileState {
  readonly job: JobSpec
  readonly allocations: readonly SeenAllocation[]
  /** The deployment of the present version, if there is one. */
  readonly deployment?: Pick<DeploymentRecord, 'Status' | 'TaskGroups'> | undefined
  /** The newest version before the present one that was deployed with success. */
  readonly stable?: number | undefined
}

/**
 * What nodes and earlier versions mean for the allocations of a job.
 *
 * @public
 */
export interface ReconcileInput {
  /** Whether a node should be left now because it drains; none by default. */
  readonly leaves?: ((nodeId: string) => boolean) | undefined
  /** Whether an allocation is of the present version, the default, or of one with the same tasks. */
  readonly unchanged?: ((allocation: SeenAllocation) => boolean) | undefined
  /** Whether an allocation may stay where it is, as far as the job's choice of nodes goes; all by default. */
  readonly fits?: ((allocation: SeenAllocation) => boolean) | undefined
}

/** State, input and instant together, with their defaults. */
export type Situation = ReconcileState & {
  readonly [Name in keyof ReconcileInput]-?: NonNullable<ReconcileInput[Name]>
} & { readonly now: Instant }

export const situationOf = (
  state: ReconcileState,
  { leaves, unchanged, fits }: ReconcileInput,
  { now }: Pick<Env, 'now'>,
): Situation => ({
  ...state,
  leaves: leaves ?? (() => false),
  unchanged: unchanged ?? (({ JobVersion }) => JobVersion === state.job.Version),
  fits: fits ?? (() => true),
  now,
})

/**
 * An allocation to stop, and why.
 *
 * @public
 */
export interface Stopping {
  readonly id: string
  readonly description: string
}

/**
 * What one task group wants done now, of one version.
 *
 * @public
 */
export interface GroupWork {
  readonly group: TaskGroup
  /** The earlier version that is to be placed; `undefined` for the present one. */
  readonly version: number | undefined
  /** How many to place, as canaries or not. */
  readonly place: number
  readonly canary: boolean
  /** Allocations to stop at once. */
  readonly stop: readonly Stopping[]
  /**
   * Allocations whose places are taken: with each placement one of these is followed by another one, and goes where it
   * has not gone yet.
   */
  readonly replace: readonly Stopping[]
  /** Allocations of earlier versions that become the present one's as they are. */
  readonly update: readonly string[]
  /** Failed and lost allocations that are to be replaced later, and when. */
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
} as const

/** Nothing to do for a group. */
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
