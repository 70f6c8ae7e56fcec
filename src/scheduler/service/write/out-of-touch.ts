import type { Env, Instant } from '../../../kernel/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { moveAllocation, stopAllocation } from '../../allocations/move.ts'
import { lostAfter } from '../../jobs/disconnect.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { descriptions } from '../../placement/group-work.ts'
import { nodeRecords } from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import type { SchedulerEvent } from '../events.ts'
import { followDeployment } from './deployment-progress.ts'
import type { Ledger } from './ledger.ts'
import { done, mustRecord } from './record.ts'
import { evaluate } from './specification.ts'

/** Marks an allocation as out of touch, from which it can return, or as lost. */
export function miss(
  ledger: Ledger,
  allocation: AllocationRecord,
  verb: 'disconnect' | 'lose',
  env: Env,
): readonly SchedulerEvent[] {
  const moved = moveAllocation(allocation, { verb }, env)
  if (!moved.ok) return []
  const stopped =
    verb === 'disconnect'
      ? moved
      : stopAllocation(moved.state, { description: descriptions.lost, migrate: true }, env)
  ledger.putAllocation(stopped.ok ? stopped.state : moved.state)
  const { DeploymentID: deployment } = allocation
  return deployment === '' ? moved.events : [...moved.events, ...followDeployment(ledger, deployment, env)]
}

/**
 * Whether an allocation's group lets it outlive the silence of its node. One that has not started is lost, unless it can
 * run nowhere else: then it starts as it is once the node is back.
 */
export const outlives = (
  job: Pick<JobSpec, 'Type' | 'TaskGroups'> | undefined,
  { TaskGroup: name, ClientStatus }: Pick<AllocationRecord, 'TaskGroup' | 'ClientStatus'>,
): boolean | 'as it is' => {
  const group = job?.TaskGroups.find(({ Name }) => Name === name)
  if (job === undefined || group === undefined || lostAfter(group) === undefined) return false
  return ClientStatus !== 'pending' || (job.Type.startsWith('sys') && 'as it is')
}

/** When an allocation that is out of touch becomes lost. */
export function keptUntil(
  groups: JobSpec['TaskGroups'] | undefined,
  { TaskGroup: name, ClientStatus, ModifyTime }: AllocationRecord,
): Instant | undefined {
  const group = ClientStatus === 'unknown' ? groups?.find(({ Name }) => Name === name) : undefined
  const window = group && lostAfter(group)
  return window === undefined ? undefined : Math.ceil((ModifyTime + window) / 1e6)
}

/** Loses an allocation that has been out of touch for longer than its group allows, unless its node is back. */
export async function giveUp(cluster: Cluster, id: string): Promise<void> {
  await mustRecord(cluster, (ledger, env) => {
    const allocation = ledger.allocation(id)
    if (allocation === undefined) return done()
    const job = ledger.job({ Namespace: allocation.Namespace, ID: allocation.JobID })
    const until = keptUntil(job?.value.TaskGroups, allocation)
    const node = ledger.tx.get(nodeRecords, allocation.NodeID)?.value
    // A node that is back reports the allocation itself.
    const isBack = node?.Status === 'ready' || node?.Status === 'initializing'
    if (until === undefined || until > env.now || isBack) return done()
    const events = miss(ledger, allocation, 'lose', env)
    if (job !== undefined && !job.value.Stop)
      evaluate(ledger, job.value, 'max-disconnect-timeout', env, { jobModifyIndex: job.modified })
    return done(events)
  })
}
