import type { Env } from '../../../kernel/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import {
  type AllocationMoved,
  type AllocationStop,
  moveAllocation,
  stopAllocation,
} from '../../allocations/move.ts'
import { killedTasks } from '../../allocations/task-states.ts'
import type { Cluster } from '../cluster.ts'
import type { Ledger } from './ledger.ts'

/** Stops an allocation, once; if allocations are simulated it ends immediately. */
export function recordStop(
  { simulates }: Pick<Cluster, 'simulates'>,
  ledger: Ledger,
  allocation: AllocationRecord | undefined,
  why: AllocationStop,
  env: Env,
): readonly AllocationMoved[] {
  const outcome = allocation && stopAllocation(allocation, why, env)
  if (outcome?.ok !== true || !outcome.value.stopped) return []
  const ended = simulates(outcome.state.NodeID)
    ? moveAllocation(outcome.state, { verb: 'finish' }, env)
    : undefined
  if (ended?.ok !== true) {
    ledger.putAllocation(outcome.state)
    return outcome.events
  }
  const TaskStates = killedTasks(ended.state.TaskStates, env.now)
  ledger.putAllocation(Object.assign({}, ended.state, { TaskStates }))
  return ended.events
}
