import type { Env } from '../../../kernel/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import {
  type AllocationMoved,
  type AllocationStop,
  moveAllocation,
  stopAllocation,
} from '../../allocations/move.ts'
import type { Cluster } from '../cluster.ts'
import type { Ledger } from './ledger.ts'

/** Tells an allocation to stop; where allocations are simulated it ends at once. Nothing happens to what was told before. */
export function tellToStop(
  { simulate }: Pick<Cluster, 'simulate'>,
  book: Ledger,
  allocation: AllocationRecord | undefined,
  why: AllocationStop,
  env: Env,
): readonly AllocationMoved[] {
  const told = allocation && stopAllocation(allocation, why, env)
  if (told?.ok !== true || !told.value.stopped) return []
  const ended = simulate ? moveAllocation(told.state, { verb: 'finish' }, env) : undefined
  book.putAllocation(ended?.ok === true ? ended.state : told.state)
  return ended?.ok === true ? ended.events : told.events
}
