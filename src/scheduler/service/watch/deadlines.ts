import type { Reporter } from '../../../kernel/event-emitter.ts'
import type { Timers } from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { missedDeadline, progressDue } from '../../deployments/progress.ts'
import type { NodeRecord } from '../../nodes/model.ts'
import { moveNode } from '../../nodes/status.ts'
import { allocationRecords, deploymentRecords, jobRecords, nodeRecords } from '../../records/collections.ts'
import { fromRfc3339 } from '../../values/instants.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'
import { failNow } from '../write/deployment-progress.ts'
import { followNodeChange, noteNodeChange } from '../write/node-change.ts'
import { giveUp, keptUntil, outlives } from '../write/out-of-touch.ts'
import { done, mustRecord } from '../write/record.ts'
import { tendDrain } from '../write/tend-drain.ts'
import { type Alarms, alarms } from './alarms.ts'
import type { Background } from './background.ts'
import { heartbeats } from './heartbeats.ts'
import { launches } from './launches.ts'
import { unfinished } from './unfinished.ts'

/**
 * Watches due times: deployments, drains, heartbeats, disconnected allocations, launches of periodic jobs, and unfinished
 * work.
 */
export interface Deadlines extends Background {
  /** Records a heartbeat of a node. */
  readonly heard: (nodeId: string) => void
}

/**
 * Watches the progress deadlines of running deployments, the deadlines of drains, the limits of disconnected allocations,
 * the schedules of periodic jobs and, if a heartbeat TTL is set, the heartbeats of nodes that sent one to any server.
 */
export function deadlines(
  cluster: Cluster,
  options: {
    readonly timers: Timers
    /** The maximum time between the heartbeats of a node; `undefined` for no limit. */
    readonly heartbeatTtlMs: (nodeId: string) => number | undefined
    /** Whether other servers may use the same store, and hear the same nodes. */
    readonly isShared: boolean
    readonly onError: Reporter
  },
): Deadlines {
  const { view, env } = cluster
  const { timers, onError } = options
  const due = alarms({ timers, now: () => env().now, onError })
  const deployments = due.kind((id) => failIfLate(cluster, id))
  const drains = drainWatch(cluster, due)
  const beats = heartbeats(cluster, due, {
    timers,
    ttlMs: options.heartbeatTtlMs,
    isShared: options.isShared,
    onError,
    lose: (id, isHeard) => loseNode(cluster, id, isHeard),
  })
  const returns = due.kind((id) => giveUp(cluster, id))
  const lookAtJobs = launches(cluster, due)
  const lookAtUnfinished = unfinished(cluster, due)

  const awaitReturn = (now: Snapshot, allocation: AllocationRecord) => {
    const isOutOfTouch = allocation.ClientStatus === 'unknown'
    const job = isOutOfTouch ? jobRecords.get(now, allocation.Namespace, allocation.JobID) : undefined
    if (isOutOfTouch || !returns.isEmpty())
      returns.set(allocation.ID, keptUntil(job?.value.TaskGroups, allocation))
  }

  const look = (keys: readonly string[]) => {
    due.lookAtClock()
    const now = view.stale()
    const freed = new Set<string>()
    for (const key of keys) {
      const drainingNode = drains.nodeOf(key)
      if (drainingNode !== undefined) freed.add(drainingNode)
      else if (key.startsWith(deploymentRecords.prefix)) {
        const entry = now.get(key)
        const deployment = entry && deploymentRecords.stored(entry).value
        if (deployment !== undefined) deployments.set(deployment.ID, progressDue(deployment))
      } else if (key.startsWith(nodeRecords.prefix)) {
        const entry = now.get(key)
        const node = entry && nodeRecords.stored(entry).value
        if (node === undefined) continue
        drains.note(node)
        if (node.Status !== 'disconnected') continue
        const rows = cluster.tables.allocations.at(now).by('node')
        for (const row of rows.scan({ prefix: beginning([node.ID]) })) awaitReturn(now, row)
      } else if (key.startsWith(allocationRecords.prefix)) {
        const entry = now.get(key)
        const allocation = entry && allocationRecords.stored(entry).value
        if (allocation !== undefined) awaitReturn(now, allocation)
      }
    }
    for (const id of freed) drains.tend(id)
    lookAtJobs(keys)
    lookAtUnfinished(keys)
    beats.look(keys)
  }
  const off = view.onChange((rev, keys) => {
    if (rev > 0) look(keys)
  })
  const now = view.stale()
  const watched = [deploymentRecords.prefix, nodeRecords.prefix].flatMap((prefix) => now.scan({ prefix }))
  look(watched.map(({ key }) => key))
  drains.takeOver(now)

  return {
    heard: beats.heard,
    isBusy: due.isBusy,
    settled: due.settled,
    close: () => {
      off()
      beats.close()
      return due.close()
    },
  }
}

/** Watches drains: the deadline of each, and the end of the last allocation that it waits for. */
function drainWatch(cluster: Cluster, due: Alarms) {
  const ends = due.kind((id) => tendDrain(cluster, id))
  const changes = due.kind((id) => tendDrain(cluster, id))
  /** The draining nodes, by the mark that every change of their allocations raises. */
  const draining = new Map<string, string>()
  return {
    nodeOf: (mark: string): string | undefined => draining.get(mark),
    tend: changes.ring,
    note: ({ ID, DrainStrategy: strategy }: NodeRecord): void => {
      ends.set(ID, strategy ? (fromRfc3339(strategy.ForceDeadline) ?? forever) : undefined)
      const mark = allocationRecords.markOf('node', ID)
      if (strategy) draining.set(mark, ID)
      else draining.delete(mark)
    },
    /**
     * The process that watched these drains before may have missed the last change they waited for. A drain that never had
     * anything to wait for was loaded like that, and stays.
     */
    takeOver: (now: Snapshot): void => {
      for (const [mark, id] of draining) if (now.get(mark) !== undefined) changes.ring(id)
    },
  }
}

/** A drain without a deadline is watched for its end only. */
const forever = 8.64e15

async function failIfLate(cluster: Cluster, id: string): Promise<void> {
  await mustRecord(cluster, (ledger, env) => {
    const deployment = ledger.deployment(id)
    return deployment !== undefined && missedDeadline(deployment, env.now)
      ? done(failNow(ledger, deployment, 'deadline', env).events)
      : done()
  })
}

/** Marks a silent node as down, or as disconnected if some of its work may outlive the silence. */
async function loseNode(cluster: Cluster, id: string, isHeard: () => boolean): Promise<void> {
  const now = await cluster.view.fresh()
  const rows = cluster.tables.allocations
    .at(now)
    .by('node')
    .scan({ prefix: beginning([id]) })
  const mayReturn = rows.some((each) => {
    const job = cluster.tables.jobs.at(now).get(each.Namespace, each.JobID)
    return each.ClientStatus === 'running' && each.DesiredStatus === 'run' && outlives(job, each) === true
  })
  await mustRecord(cluster, (ledger, env) => {
    const node = ledger.tx.get(nodeRecords, id)?.value
    // Its heartbeat came at the last moment, or it was removed.
    if (node === undefined || isHeard() || node.Status === 'down' || node.Status === 'disconnected')
      return done()
    const verb = mayReturn && node.Status === 'ready' ? 'disconnect' : 'lose'
    const outcome = moveNode(node, { verb }, env)
    if (!outcome.ok) return done()
    ledger.tx.put(nodeRecords, outcome.state)
    noteNodeChange(cluster, ledger, id, 'node-update')
    return done(outcome.events)
  })
  await followNodeChange(cluster, id)
}
