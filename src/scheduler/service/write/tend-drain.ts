import type { AllocationRecord } from '../../allocations/model.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import { completeDrain } from '../../nodes/drain.ts'
import { descriptions } from '../../placement/group-work.ts'
import { nodeRecords } from '../../records/collections.ts'
import { fromRfc3339 } from '../../values/instants.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'
import type { JobName } from './ledger.ts'
import { done, mustRecord } from './record.ts'
import { recordStop } from './stop-allocation.ts'
import { lookAtJob, stillOn } from './work-of-node.ts'

const migrating = { description: descriptions.migrating, migrate: true }

/** How many allocations one commit tells to stop: a commit has 64 keys, and each may be of another job. */
const batch = 3

/** Ends a drain that has nothing left to wait for; after its deadline the remaining allocations are stopped first. */
export async function tendDrain(cluster: Cluster, nodeId: string): Promise<void> {
  const env = cluster.env()
  const now = await cluster.view.fresh()
  const strategy = nodeRecords.get(now, nodeId)?.value.DrainStrategy
  if (strategy === undefined || strategy === null) return
  const counts = ({ JobType }: Pick<AllocationRecord, 'JobType'>) =>
    !(strategy.IgnoreSystemJobs && JobType.startsWith('sys'))
  const force = fromRfc3339(strategy.ForceDeadline)
  const isForced = strategy.Deadline < 0 || (force !== undefined && force <= env.now)
  const left = stillOn(cluster, now, nodeId).filter(counts)
  // System jobs leave last: others may depend on them until they have ended.
  const othersLeft = left.some(({ JobType }) => !JobType.startsWith('sys'))
  const due = isForced || !othersLeft ? left.filter((each) => !isTerminalAllocation(each)) : []
  for (let at = 0; at < due.length; at += batch) {
    await mustRecord(cluster, (ledger) => {
      const jobs = new Map<string, JobName>()
      const events = due.slice(at, at + batch).flatMap(({ ID, Namespace, JobID, JobType }) => {
        const why = { ...migrating, unplaced: JobType === 'batch' }
        const stopped = recordStop(cluster, ledger, ledger.allocation(ID), why, env)
        if (stopped.length > 0) jobs.set(beginning([Namespace, JobID]), { Namespace, ID: JobID })
        return stopped
      })
      // Evaluations in the same commit: allocations that must leave are replaced even if this process dies.
      for (const name of jobs.values()) lookAtJob(cluster, ledger, name, { nodeId, trigger: 'node-drain' })
      return done(events)
    })
  }
  // After its deadline a drain no longer waits for allocations that were told to stop.
  if (othersLeft && !isForced) return
  await mustRecord(cluster, (ledger) => {
    const node = ledger.tx.get(nodeRecords, nodeId)?.value
    const outcome = node && completeDrain(node, {}, env)
    if (outcome?.ok !== true) return done()
    ledger.tx.put(nodeRecords, outcome.state)
    return done(outcome.events)
  })
}
