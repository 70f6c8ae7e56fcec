import type { Snapshot } from '../../../store/index.ts'
import { hasEnded, isTerminalAllocation } from '../../allocations/rules.ts'
import type { NodeRecord } from '../../nodes/model.ts'
import {
  allocationRecords,
  type NodeChangeRecord,
  nodeChangeRecords,
  nodeRecords,
} from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import type { SchedulerEvent } from '../events.ts'
import { beginning } from '../read/list.ts'
import type { JobName, Ledger } from './ledger.ts'
import { miss, outlives } from './out-of-touch.ts'
import { done, mustRecord } from './record.ts'
import { tendDrain } from './tend-drain.ts'
import { lookAtJob, stillOn } from './work-of-node.ts'

/** How many jobs one commit evaluates: a commit has 64 keys. */
const batch = 4

/** How many allocations one commit loses: the job of each may go back to an earlier version. */
const lossBatch = 2

/** The created evaluations, and the index of the last one. */
export interface Evaluated {
  readonly ids: readonly string[]
  readonly index: number
}

/** The system jobs that may run on a node of a pool. */
function* systemJobs({ tables }: Cluster, now: Snapshot, pool: string | undefined): Generator<JobName> {
  const jobs = tables.jobs.at(now).by('pool')
  for (const each of pool === undefined ? [] : [pool, 'all'])
    for (const run of jobs.chunks({ prefix: beginning([each]) }))
      for (const job of run) if (!job.Stop && wantsEveryNode(job)) yield job
}

/** Whether a job starts on nodes that join later: one that has ended everywhere does not start again. */
const wantsEveryNode = ({ Type, Status }: { readonly Type: string; readonly Status: string }): boolean =>
  Type === 'system' || (Type === 'sysbatch' && Status !== 'dead')

/**
 * Records, in the commit that changes a node, that {@link followNodeChange} must run, so that it runs even if this
 * process dies. Skipped when the change affects no job; a drain affects the node itself, because it has to be ended.
 */
export function noteNodeChange(
  cluster: Cluster,
  { tx }: Ledger,
  nodeId: string,
  trigger: NodeChangeRecord['Trigger'],
): void {
  const pool = tx.get(nodeRecords, nodeId)?.value.NodePool
  const concernsSomeone =
    trigger === 'node-drain' ||
    stillOn(cluster, tx.now, nodeId).length > 0 ||
    systemJobs(cluster, tx.now, pool).next().done !== true
  if (concernsSomeone) tx.put(nodeChangeRecords, { NodeID: nodeId, Trigger: trigger })
  // Nothing may be placed there meanwhile without an evaluation.
  else tx.guard(allocationRecords.name, 'node', nodeId)
}

/**
 * Applies the consequences of a change of a node: allocations on a removed or silent one are lost, the affected jobs
 * are evaluated, and a drain that waits for nothing ends. Idempotent, safe in several concurrent processes, and resumed
 * after a crash.
 */
export async function followNodeChange(cluster: Cluster, nodeId: string): Promise<Evaluated> {
  const now = await cluster.view.fresh()
  const change = nodeChangeRecords.get(now, nodeId)
  if (change === undefined) return { ids: [], index: 0 }
  const forget = ({ tx }: Ledger) => {
    // The node may have changed again meanwhile.
    if (tx.get(nodeChangeRecords, nodeId)?.modified === change.modified) tx.delete(nodeChangeRecords, nodeId)
  }
  const known = new Set<string>()
  const losers = await loseWork(cluster, nodeId, known)
  const drains = (nodeRecords.get(now, nodeId)?.value.DrainStrategy ?? null) !== null
  const evaluated = await evaluateJobsOf(
    cluster,
    nodeId,
    change.value.Trigger,
    known,
    drains ? undefined : forget,
  )
  if (drains) {
    await tendDrain(cluster, nodeId)
    await mustRecord(cluster, (ledger) => {
      forget(ledger)
      return done()
    })
  }
  return { ids: [...losers.ids, ...evaluated.ids], index: Math.max(losers.index, evaluated.index) }
}

/** Evaluates the jobs that have allocations on a node, and the system jobs that may run there. */
export async function evaluateJobsOf(
  cluster: Cluster,
  nodeId: string,
  trigger: NodeChangeRecord['Trigger'],
  known: ReadonlySet<string> = new Set(),
  atLast: (ledger: Ledger) => void = () => {},
): Promise<Evaluated> {
  const now = await cluster.view.fresh()
  const names = new Map<string, JobName>()
  const add = (Namespace: string, ID: string) => {
    const key = beginning([Namespace, ID])
    if (!known.has(key)) names.set(key, { Namespace, ID })
  }
  for (const each of stillOn(cluster, now, nodeId))
    if (!isTerminalAllocation(each)) add(each.Namespace, each.JobID)
  const pool = nodeRecords.get(now, nodeId)?.value.NodePool
  for (const { Namespace, ID } of systemJobs(cluster, now, pool)) add(Namespace, ID)
  const all = [...names.values()]
  const ids: string[] = []
  let index = 0
  for (let at = 0; at === 0 || at < all.length; at += batch) {
    const { value, rev } = await mustRecord(cluster, (ledger) => {
      if (at + batch >= all.length) atLast(ledger)
      const value = all
        .slice(at, at + batch)
        .flatMap((name) => lookAtJob(cluster, ledger, name, { nodeId, trigger }))
      return { ok: true, value, events: [] }
    })
    ids.push(...value)
    if (value.length > 0) index = rev
  }
  return { ids, index }
}

/**
 * Allocations on a removed or silent node are lost, or unknown if they may outlive the silence. A job is evaluated in
 * the commit that changes its last allocation, so that the evaluation sees all losses.
 *
 * @param known - receives the evaluated jobs
 */
async function loseWork(cluster: Cluster, nodeId: string, known: Set<string>): Promise<Evaluated> {
  const now = await cluster.view.fresh()
  const isDue = lostOn(nodeRecords.get(now, nodeId)?.value)
  const byJob = stillOn(cluster, now, nodeId)
    .filter(isDue)
    .map((row) => ({ row, job: beginning([row.Namespace, row.JobID]) }))
    .sort((a, b) => (a.job < b.job ? -1 : a.job > b.job ? 1 : a.row.CreateIndex - b.row.CreateIndex))
  const ids: string[] = []
  let index = 0
  for (let at = 0; at < byJob.length; at += lossBatch) {
    const some = byJob.slice(at, at + lossBatch)
    const ends = some.filter(({ job }, nth) => byJob[at + nth + 1]?.job !== job)
    const { value, rev } = await mustRecord(cluster, (ledger, env) => {
      const node = ledger.tx.get(nodeRecords, nodeId)?.value
      const isLost = lostOn(node)
      const events: SchedulerEvent[] = []
      for (const { row } of some) {
        const allocation = ledger.allocation(row.ID)
        if (allocation === undefined || !isLost(allocation)) continue
        const name = { Namespace: allocation.Namespace, ID: allocation.JobID }
        const mayWait = node?.Status === 'disconnected' && outlives(ledger.job(name)?.value, allocation)
        if (mayWait === 'as it is') continue
        events.push(...miss(ledger, allocation, mayWait ? 'disconnect' : 'lose', env))
      }
      const value = ends.flatMap(({ row: { Namespace, JobID } }) =>
        lookAtJob(cluster, ledger, { Namespace, ID: JobID }, { nodeId, trigger: 'node-update' }),
      )
      return { ok: true, value, events }
    })
    for (const { job } of ends) known.add(job)
    ids.push(...value)
    if (value.length > 0) index = rev
  }
  return { ids, index }
}

/** The allocations that a node takes with it: all if it was removed, only those that should run if it may return. */
function lostOn(
  node: NodeRecord | undefined,
): (allocation: Parameters<typeof isTerminalAllocation>[0]) => boolean {
  if (node === undefined || node.Status === 'down') return (allocation) => !hasEnded(allocation)
  // Allocations that were told to stop will have stopped once the node is back.
  if (node.Status === 'disconnected') return (allocation) => !isTerminalAllocation(allocation)
  return () => false
}
