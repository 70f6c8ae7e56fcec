import type { AllocationRecord } from './model.ts'

/**
 * Whether an allocation is over: told to stop, or ended by itself.
 *
 * @public
 */
export const isTerminalAllocation = ({
  DesiredStatus,
  ClientStatus,
}: Pick<AllocationRecord, 'DesiredStatus' | 'ClientStatus'>): boolean =>
  DesiredStatus !== 'run' || over.has(ClientStatus)

/** Whether an allocation has ended on its node, whatever it was told. */
export const hasEnded = ({ ClientStatus }: Pick<AllocationRecord, 'ClientStatus'>): boolean =>
  over.has(ClientStatus)

const over: ReadonlySet<string> = new Set(['complete', 'failed', 'lost'])
