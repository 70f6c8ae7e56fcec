import type { AllocationRecord } from './model.ts'

/**
 * Whether an allocation is over: set to stop, or ended by itself.
 *
 * @example
 * ```ts
 * import { isTerminalAllocation } from 'plinth/scheduler'
 *
 * isTerminalAllocation({ DesiredStatus: 'run', ClientStatus: 'running' }) // false
 * isTerminalAllocation({ DesiredStatus: 'stop', ClientStatus: 'running' }) // true
 * ```
 */
export const isTerminalAllocation = ({
  DesiredStatus,
  ClientStatus,
}: Pick<AllocationRecord, 'DesiredStatus' | 'ClientStatus'>): boolean =>
  DesiredStatus !== 'run' || over.has(ClientStatus)

/** Whether an allocation has ended on its node; its desired status does not matter. */
export const hasEnded = ({ ClientStatus }: Pick<AllocationRecord, 'ClientStatus'>): boolean =>
  over.has(ClientStatus)

/** Whether an allocation that should run has failed, or was judged unhealthy, and has no replacement. */
export const isUnhealthy = ({
  ClientStatus,
  DesiredStatus,
  DeploymentStatus,
  NextAllocation,
}: Pick<
  AllocationRecord,
  'ClientStatus' | 'DesiredStatus' | 'DeploymentStatus' | 'NextAllocation'
>): boolean =>
  DesiredStatus === 'run' &&
  NextAllocation === '' &&
  (ClientStatus === 'failed' || (DeploymentStatus?.Healthy === false && !over.has(ClientStatus)))

/**
 * Whether a decision about a job may still need an allocation: it occupies a place, or left one that is not filled.
 * Stopped and replaced ones are not needed.
 */
export const countsForPlacing = ({
  DesiredStatus,
  ClientStatus,
  DesiredTransition,
  NextAllocation,
}: Pick<
  AllocationRecord,
  'DesiredStatus' | 'ClientStatus' | 'DesiredTransition' | 'NextAllocation'
>): boolean =>
  !isTerminalAllocation({ DesiredStatus, ClientStatus }) ||
  (NextAllocation === '' && (DesiredStatus === 'run' || DesiredTransition?.Migrate === true))

const over: ReadonlySet<string> = new Set(['complete', 'failed', 'lost'])

/** The number of an allocation within its group, from its name: `web.app[2]` is 2; -1 for a name without a number. */
export const numberOf = ({ Name }: Pick<AllocationRecord, 'Name'>): number =>
  Number(/\[(\d+)\]$/.exec(Name)?.[1] ?? -1)
