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
import type { RunnerCalls } from './runner-calls.ts'
import type { JobTallies } from './write/job-tally.ts'

/** How far this process is behind the cluster's leader. */
export interface Consistency {
  /** Milliseconds since this process last heard from the leader; 0 on the leader itself. */
  readonly lastContact: () => number
  /** Whether there is a leader. */
  readonly knownLeader: () => boolean
}

/** An open scheduler: the dependencies of every method. */
export interface Cluster {
  readonly view: Replica
  readonly hub: Hub
  readonly tables: Tables
  readonly polls: LongPolls
  /** The latest changes. */
  readonly events: EventLog
  readonly authenticate: Authenticator
  /** Whether tokens are required, and whether a management token was configured. */
  readonly acl: { readonly enabled: boolean; readonly given: boolean }
  readonly env: () => Env
  readonly region: string
  /** Whether a job needs an existing namespace; `undefined`: as soon as one was written. */
  readonly namespaces: 'managed' | 'open' | undefined
  /** This server, as its cluster knows it. */
  readonly server: { readonly name: string; readonly address: string; readonly datacenter: string }
  readonly waits: WaitLimits
  readonly consistency: Consistency
  /** The attribute prefixes under which a node can report its agent's version. */
  readonly product: readonly string[]
  /** Whether allocations start and stop by themselves, without a runner. */
  readonly simulates: (nodeId: string) => boolean
  /** The maximum time between the heartbeats of a node with a runner. */
  readonly heartbeatTtlMs: number
  /** Records a heartbeat of a node. */
  readonly heard: (nodeId: string) => void
  /** Calls for the runners of nodes. */
  readonly runners: RunnerCalls
  /** Decides and commits; records of jobs are written through `record` instead. */
  readonly commitAt: Runner<SchedulerEvent>['commitAt']
  /** Reports the events of several commits together. */
  readonly emit: (event: SchedulerEvent) => void
  readonly pools: PoolsAt
  readonly lists: ListForms
  /** Every node with its used resources. */
  readonly fleet: Fleet
  /** The counts behind the summaries of recently written jobs. */
  readonly tallies: JobTallies
  readonly keptEvaluations: KeptEvaluations
  /** Whether evaluations are processed; otherwise they stay pending. */
  readonly places: boolean
  /** The maximum number of allocations of a job. */
  readonly maxCount: number
}

/**
 * The newest revision of some keys, as an index: at least 1. If none of them exists, their marks may have been dropped:
 * the index is then that of the last collection that dropped any, so that it does not decrease.
 */
export const indexOf = (now: Snapshot, keys: readonly string[]): number => {
  let index = 0
  for (const key of keys) index = Math.max(index, now.get(key)?.modified ?? 0)
  return index === 0 ? (now.get(clusterMark)?.modified ?? 1) : index
}
