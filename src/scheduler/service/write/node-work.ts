import type { Env, Instant } from '../../../kernel/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { moveAllocation, stopAllocation } from '../../allocations/move.ts'
import { hasEnded, isTerminalAllocation } from '../../allocations/rules.ts'
import { nodeRecords } from '../../collections.ts'
import type { EvaluationTrigger } from '../../evaluations/create.ts'
import { fromRfc3339 } from '../../instants.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { completeDrain } from '../../nodes/drain.ts'
import type { Cluster } from '../cluster.ts'
import type { SchedulerEvent } from '../events.ts'
import type { JobName, Ledger } from '../ledger.ts'
import { beginning } from '../list.ts'
import { followDeployment } from './deployment-progress.ts'
import { record } from './record.ts'
import { evaluate } from './specification.ts'
import { tellToStop } from './tell-to-stop.ts'

/** How many jobs one commit has looked at: a commit has 64 keys. */
const batch = 4

/** How many allocations one commit loses: the job of each may go back to an earlier version. */
const lossBatch = 2

/** What has not ended on a node, told to stop or not. */
const stillOn = async ({ view, tables }: Cluster, nodeId: string) =>
  tables.allocations
    .at(await view.fresh())
    .by('node')
    .scan({ prefix: beginning([nodeId]) })
    .filter((each) => !hasEnded(each))

const liveOn = async (cluster: Cluster, nodeId: string) =>
  (await stillOn(cluster, nodeId)).filter((each) => !isTerminalAllocation(each))

/** Has the jobs looked at that have work on a node, and the system jobs that may want some there. */
export async function evaluateJobsOf(
  cluster: Cluster,
  nodeId: string,
  trigger: EvaluationTrigger,
  more: readonly JobName[] = [],
): Promise<{ readonly ids: readonly string[]; readonly index: number }> {
  const now = await cluster.view.fresh()
  const names = new Map<string, JobName>()
  const add = (Namespace: string, ID: string) => names.set(JSON.stringify([Namespace, ID]), { Namespace, ID })
  for (const { Namespace, JobID } of await liveOn(cluster, nodeId)) add(Namespace, JobID)
  for (const { Namespace, ID } of more) add(Namespace, ID)
  const pool = nodeRecords.get(now, nodeId)?.value.NodePool
  const jobs = cluster.tables.jobs.at(now).by('pool')
  for (const each of pool === undefined ? [] : [pool, 'all'])
    for (const run of jobs.chunks({ prefix: beginning([each]) }))
      for (const job of run) if (job.Type === 'system' && !job.Stop) add(job.Namespace, job.ID)
  const ids: string[] = []
  let index = 0
  const all = [...names.values()]
  for (let at = 0; at < all.length; at += batch) {
    const env = cluster.env()
    const { result, rev } = await record(cluster, (book) =>
      all.slice(at, at + batch).flatMap((name) => {
        const job = book.job(name)
        if (job === undefined || job.value.Stop) return []
        const made = evaluate(book, job.value, trigger, env, { nodeId, jobModifyIndex: job.modified })
        return made === undefined ? [] : made.ID
      }),
    )
    ids.push(...result)
    index = rev
  }
  return { ids, index }
}

/** A node is gone or silent: what ran there is lost, or unknown where it may outlive the silence. */
export async function leaveNode(
  cluster: Cluster,
  nodeId: string,
): Promise<{ readonly ids: readonly string[]; readonly index: number }> {
  const isDisconnected = nodeRecords.get(await cluster.view.fresh(), nodeId)?.value.Status === 'disconnected'
  const due = await stillOn(cluster, nodeId)
  for (let at = 0; at < due.length; at += lossBatch) {
    const env = cluster.env()
    const done = await record(cluster, (book) => {
      const events: SchedulerEvent[] = []
      for (const { ID } of due.slice(at, at + lossBatch)) {
        const allocation = book.allocation(ID)
        if (allocation === undefined || hasEnded(allocation)) continue
        // What was told to stop will have, once its node is back.
        if (isDisconnected && isTerminalAllocation(allocation)) continue
        const name = { Namespace: allocation.Namespace, ID: allocation.JobID }
        const mayWait = isDisconnected && outlives(book.job(name)?.value.TaskGroups, allocation)
        events.push(...miss(book, allocation, mayWait ? 'disconnect' : 'lose', env))
      }
      return events
    })
    cluster.emit(done.result)
  }
  // Only now: whoever looks at the jobs must see what they lost.
  const jobs = due.map(({ Namespace, JobID }) => ({ Namespace, ID: JobID }))
  return evaluateJobsOf(cluster, nodeId, 'node-update', jobs)
}

/** An allocation is out of touch: it may come back, or it is lost. */
function miss(
  book: Ledger,
  allocation: AllocationRecord,
  verb: 'disconnect' | 'lose',
  env: Env,
): readonly SchedulerEvent[] {
  const moved = moveAllocation(allocation, { verb }, env)
  if (!moved.ok) return []
  const stopped =
    verb === 'disconnect'
      ? moved
      : stopAllocation(moved.state, { description: 'alloc is lost since its node is down' }, env)
  book.putAllocation(stopped.ok ? stopped.state : moved.state)
  const { DeploymentID: deployment } = allocation
  return deployment === '' ? moved.events : [...moved.events, ...followDeployment(book, deployment, env)]
}

/** Until when the place of an allocation that is out of touch is kept for it. */
export function keptUntil(
  groups: JobSpec['TaskGroups'] | undefined,
  { TaskGroup, ClientStatus, ModifyTime }: AllocationRecord,
): Instant | undefined {
  const group = ClientStatus === 'unknown' ? groups?.find(({ Name }) => Name === TaskGroup) : undefined
  const window = group?.MaxClientDisconnect ?? undefined
  return window === undefined ? undefined : Math.ceil((ModifyTime + window) / 1e6)
}

/** Loses an allocation that has been out of touch for longer than its group allows, unless its node is back. */
export async function giveUp(cluster: Cluster, id: string): Promise<void> {
  const env = cluster.env()
  const { result } = await record(cluster, (book) => {
    const allocation = book.allocation(id)
    if (allocation === undefined) return []
    const job = book.job({ Namespace: allocation.Namespace, ID: allocation.JobID })
    const until = keptUntil(job?.value.TaskGroups, allocation)
    const node = book.tx.get(nodeRecords, allocation.NodeID)?.value
    // A node that is back says itself what has become of it.
    const isBack = node?.Status === 'ready' || node?.Status === 'initializing'
    if (until === undefined || until > env.now || isBack) return []
    const events = miss(book, allocation, 'lose', env)
    if (job !== undefined && !job.value.Stop)
      evaluate(book, job.value, 'max-disconnect-timeout', env, { jobModifyIndex: job.modified })
    return events
  })
  cluster.emit(result)
}

/** Whether an allocation's group lets it outlive the silence of its node. */
export const outlives = (
  groups: readonly { readonly Name: string; readonly MaxClientDisconnect: number | null }[] | undefined,
  { TaskGroup }: Pick<AllocationRecord, 'TaskGroup'>,
): boolean => (groups?.find(({ Name }) => Name === TaskGroup)?.MaxClientDisconnect ?? null) !== null

/** Ends a drain that has nothing left to wait for; past its deadline what is left is told to stop first. */
export async function tendDrain(cluster: Cluster, nodeId: string): Promise<void> {
  const env = cluster.env()
  const strategy = nodeRecords.get(await cluster.view.fresh(), nodeId)?.value.DrainStrategy
  if (strategy === undefined || strategy === null) return
  const counts = ({ JobType }: Pick<AllocationRecord, 'JobType'>) =>
    !(strategy.IgnoreSystemJobs && JobType.startsWith('sys'))
  const force = fromRfc3339(strategy.ForceDeadline)
  const isForced = strategy.Deadline < 0 || (force !== undefined && force <= env.now)
  const left = (await stillOn(cluster, nodeId)).filter(counts)
  // System jobs leave last: others may depend on them until they have ended.
  const othersLeft = left.some(({ JobType }) => !JobType.startsWith('sys'))
  const due = isForced || !othersLeft ? left.filter((each) => !isTerminalAllocation(each)) : []
  for (let at = 0; at < due.length; at += batch) {
    const { result } = await record(cluster, (book) =>
      due
        .slice(at, at + batch)
        .flatMap(({ ID }) => tellToStop(cluster, book, book.allocation(ID), 'alloc is being migrated', env)),
    )
    cluster.emit(result)
  }
  // Past its deadline nobody waits any longer for what was told to stop.
  if (othersLeft && !isForced) return
  const { result } = await record(cluster, (book) => {
    const node = book.tx.get(nodeRecords, nodeId)?.value
    const outcome = node && completeDrain(node, {}, env)
    if (outcome?.ok !== true) return []
    book.tx.put(nodeRecords, outcome.state)
    return outcome.events
  })
  cluster.emit(result)
}
