import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { operation } from '../../operation/operation.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { ReadCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { beginning } from '../service/read/list.ts'
import { foundNow } from '../service/read/read.ts'
import { call } from './arguments.ts'

/**
 * One metric of a cluster. Its labels distinguish statuses, and contain nothing that a user named.
 */
export interface Gauge {
  readonly Name: string
  readonly Value: number
  readonly Labels: Readonly<Record<string, string>>
}

/**
 * The metrics of a cluster.
 */
export interface ClusterMetrics {
  /** RFC 3339. */
  readonly Timestamp: string
  readonly Gauges: readonly Gauge[]
}

const statuses = {
  jobs: ['pending', 'running', 'dead'],
  nodes: ['initializing', 'ready', 'down', 'disconnected'],
  allocations: ['Queued', 'Starting', 'Running', 'Failed', 'Complete', 'Lost', 'Unknown'],
} as const

const listed = {
  evaluations: { open: ['pending', 'blocked', 'failed', 'canceled'], rest: 'complete' },
  deployments: {
    open: ['running', 'paused', 'pending', 'blocked', 'unblocking', 'initializing', 'failed', 'cancelled'],
    rest: 'successful',
  },
} as const

/** How many chunks of rows are counted before the event loop continues. */
const slice = 16

/** The metrics operation. */
export const metricsOperations = {
  /**
   * Counts jobs, nodes, allocations, evaluations and deployments by status, and waiting queries; requires `agent:read`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
   * const found = await scheduler.readMetrics()
   * found.ok && found.value.Gauges.find(({ Name, Labels }) => Name === 'scheduler.jobs' && Labels['status'] === 'pending')?.Value // 1
   * ```
   */
  readMetrics: operation({
    takes: [call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, call: ReadCall = {}) =>
      enter(cluster, call, async ({ now, access }) => {
        if (!access.coarse('agent', 'read')) return permissionDenied()
        const { tables, polls, env } = cluster
        const counts = {
          jobs: new Map<string, number>(),
          nodes: new Map<string, number>(),
          allocations: new Map<string, number>(),
        }
        const add = (of: keyof typeof counts, status: string, count = 1) =>
          counts[of].set(status, (counts[of].get(status) ?? 0) + count)
        let chunks = 0
        for (const rows of tables.jobs.at(now).chunks({})) {
          for (const { Status, JobSummary } of rows) {
            add('jobs', Status)
            for (const group of Object.values(JobSummary?.Summary ?? {}))
              for (const [status, count] of Object.entries(group)) add('allocations', status, count)
          }
          chunks += 1
          if (chunks % slice === 0) await nextMacrotask()
        }
        for (const rows of tables.nodes.at(now).chunks({})) {
          for (const { Status } of rows) add('nodes', Status)
          chunks += 1
          if (chunks % slice === 0) await nextMacrotask()
        }
        const gauge = (name: string, Value: number, status?: string): Gauge => ({
          Name: `scheduler.${name}`,
          Value,
          Labels: status === undefined ? {} : { status: status.toLowerCase() },
        })
        const Gauges = [
          ...(['jobs', 'nodes', 'allocations'] as const).flatMap((of) =>
            statuses[of].map((status) => gauge(of, counts[of].get(status) ?? 0, status)),
          ),
          ...(['evaluations', 'deployments'] as const).flatMap((of) => {
            const rows = tables[of].at(now)
            const found = listed[of].open.map((status) => {
              const count = rows.by('status').scan({ prefix: beginning([status]) }).length
              return gauge(of, count, status)
            })
            const rest = found.reduce((left, { Value }) => left - Value, rows.size)
            return [...found, gauge(of, rest, listed[of].rest)]
          }),
          gauge('blocking_queries', polls.waiting()),
          gauge('index', Math.max(1, now.rev)),
        ]
        const value: ClusterMetrics = { Timestamp: new Date(env().now).toISOString(), Gauges }
        return foundNow(cluster, value, Math.max(1, now.rev))
      }),
  }),
}
