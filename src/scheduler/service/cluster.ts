import type { Env } from '../../kernel/index.ts'
import type { Hub, Replica, Snapshot } from '../../store/index.ts'
import type { Runner } from '../../store/transactions/runner.ts'
import type { LongPolls } from '../blocking/long-polls.ts'
import type { WaitLimits } from '../blocking/wait.ts'
import type { KeptEvaluations } from '../evaluations/rules.ts'
import { clusterMark } from '../records/collections.ts'
import type { Tables } from '../records/tables.ts'
import type { Authenticator } from './authenticate.ts'
import type { EventLog } from './event-stream/log.ts'
import type { SchedulerEvent } from './events.ts'
import type { Fleet } from './fleet.ts'
import type { ListForms } from './read/list-forms.ts'
import type { PoolsAt } from './read/pools-at.ts'
import type { JobTallies } from './write/job-tally.ts'

/** How far this process is behind the cluster's leader. */
export interface Consistency {
  /** Milliseconds since the leader was last heard of; 0 on the leader itself. */
  readonly lastContact: () => number
  /** Whether there is a leader. */
  readonly knownLeader: () => boolean
}

/** An open scheduler: what every method works with. */
export interface Cluster {
  readonly view: Replica
  readonly hub: Hub
  readonly tables: Tables
  readonly polls: LongPolls
  /** What changed lately. */
  readonly events: EventLog
  readonly authenticate: Authenticator
  /** Whether tokens are asked for, and whether one management token is given from outside. */
  readonly acl: { readonly enabled: boolean; readonly given: boolean }
  readonly env: () => Env
  readonly region: string
  /** Whether jobs may be registered in existing namespaces only; undefined: once one was written. */
  readonly namespaces: 'managed' | 'open' | undefined
  /** This server, as its cluster knows it. */
  readonly server: { readonly name: string; readonly address: string; readonly datacenter: string }
  readonly waits: WaitLimits
  readonly consistency: Consistency
  /** The words under which a node may state its agent's version. */
  readonly product: readonly string[]
  /** Whether what is placed on a node starts, and ends as soon as it is told to stop, by itself: no runner sees to it. */
  readonly simulates: (nodeId: string) => boolean
  /** How long a node with a runner may be silent. */
  readonly heartbeatTtlMs: number
  /** Records a heartbeat of a node. */
  readonly heard: (nodeId: string) => void
  /** Decides and commits; records of jobs are written through `record` instead. */
  readonly commitAt: Runner<SchedulerEvent>['commitAt']
  /** Reports the events of several commits together. */
  readonly emit: (event: SchedulerEvent) => void
  readonly pools: PoolsAt
  readonly lists: ListForms
  /** Every node with what is taken of it. */
  readonly fleet: Fleet
  /** What summaries follow from, of the jobs that were written to last. */
  readonly tallies: JobTallies
  readonly keptEvaluations: KeptEvaluations
  /** How many allocations a job may ask for. */
  readonly maxCount: number
}

/**
 * The newest revision of some keys, as an index: never below 1. Where none of them is there, their marks may have been
 * dropped: the index is then that of the last time that any were, so that it does not decrease.
 */
export const indexOf = (now: Snapshot, keys: readonly string[]): number => {
  let index = 0
  for (const key of keys) index = Math.max(index, now.get(key)?.modified ?? 0)
  return index === 0 ? (now.get(clusterMark)?.modified ?? 1) : index
}
