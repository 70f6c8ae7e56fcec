import { type FetchHandler, heldBytesOf, type ServiceFetch } from '../../../http/fetch.ts'
import type { RequestRecord } from '../../../http/index.ts'
import { isLocal, type Rev, type Store } from '../../../store/index.ts'
import type { ServiceName } from '../flags.ts'
import { eventLoopLag } from './event-loop-lag.ts'
import { measuredStore } from './measured-store.ts'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from './prometheus.ts'
import { countTransfers, type Transfers } from './transfers.ts'

/** The metrics of a server, in Prometheus format. No label contains a path, a name or a token. */
export interface Metrics {
  /** Counts a request of a service. */
  readonly request: (
    service: ServiceName,
    record: Pick<RequestRecord, 'route' | 'method' | 'status' | 'durationMs'>,
  ) => void
  /** Wraps a store, counted under the name of its realm. */
  readonly store: (realm: string, store: Store) => Store
  /** Adds a service whose buffered request bodies are counted. */
  readonly holds: (fetch: ServiceFetch) => void
  /** Adds a service whose waiting requests are counted. */
  readonly polls: (service: ServiceName, open: () => number) => void
  /** Wraps the handler of a service to count its open transfers. */
  readonly transfers: (service: ServiceName, fetch: FetchHandler) => FetchHandler
  readonly contentType: string
  /** All metrics as text. */
  readonly text: () => Promise<string>
}

/** A client may send any word as a method; metrics need a fixed set. */
const methods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'LIST',
  'OPTIONS',
])

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

/** Creates the metrics of one server. */
export function createMetrics(): Metrics {
  const register = new Registry()
  const registers = [register]
  collectDefaultMetrics({ register })
  eventLoopLag(register)
  const requests = new Counter({
    name: 'plinth_http_requests_total',
    help: 'Requests answered, by route and status.',
    labelNames: ['service', 'route', 'method', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'plinth_http_request_duration_seconds',
    help: 'Time until a request was answered; blocking queries count their waiting.',
    labelNames: ['service', 'route', 'method'],
    buckets,
    registers,
  })
  const commits = new Counter({
    name: 'plinth_store_commits_total',
    help: 'Successful commits.',
    labelNames: ['realm'],
    registers,
  })
  const followed = replicaLag(registers)
  const polls = openPolls(registers)
  const holders = bufferedBytes(registers)
  const transfers = openTransfers(registers)
  return {
    request: (service, { route: found, method: sent, status, durationMs }) => {
      const labels = { service, route: found ?? 'none', method: methods.has(sent) ? sent : 'other' }
      requests.inc({ ...labels, status })
      durations.observe(labels, durationMs / 1000)
    },
    store: (realm, store) => {
      commits.inc({ realm }, 0)
      const state = { store, rev: 0 }
      followed.set(realm, state)
      return measuredStore(store, {
        committed: (count) => commits.inc({ realm }, count),
        followed: (rev) => {
          state.rev = Math.max(state.rev, rev)
        },
      })
    },
    holds: (fetch) => void holders.push(fetch),
    polls: (service, open) => void polls.push([service, open]),
    transfers: (service, fetch) => {
      const open = transfers.get(service) ?? { in: 0, out: 0 }
      transfers.set(service, open)
      return countTransfers(fetch, open)
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  }
}

type Registers = InstanceType<typeof Registry>[]

/** Counts the commits that replicas have not read yet, of the stores that are put into the result. */
function replicaLag(registers: Registers): Map<string, { readonly store: Store; rev: Rev }> {
  const followed = new Map<string, { readonly store: Store; rev: Rev }>()
  new Gauge({
    name: 'plinth_replica_lag_revisions',
    help: 'Commits of the store that this process has not read yet.',
    labelNames: ['realm'],
    registers,
    async collect() {
      for (const [realm, { store, rev }] of followed) {
        // The memory store is its own replica; an unreachable store has no head to compare with.
        const head = isLocal(store) ? rev : await store.head().catch(() => undefined)
        if (head === undefined) this.remove({ realm })
        else this.set({ realm }, Math.max(0, isLocal(store) ? 0 : head - rev))
      }
    },
  })
  return followed
}

/** Counts the blocking queries of the services that are put into the result. */
function openPolls(registers: Registers): (readonly [ServiceName, () => number])[] {
  const polls: (readonly [ServiceName, () => number])[] = []
  new Gauge({
    name: 'plinth_open_polls',
    help: 'Blocking queries in progress.',
    labelNames: ['service'],
    registers,
    collect() {
      for (const [service, open] of polls) this.set({ service }, open())
    },
  })
  return polls
}

/** Counts the bodies that the services which are put into the result hold in memory. */
function bufferedBytes(registers: Registers): ServiceFetch[] {
  const holders: ServiceFetch[] = []
  new Gauge({
    name: 'plinth_buffered_bytes',
    help: 'Bytes of request bodies in memory.',
    registers,
    collect() {
      this.set(holders.reduce((sum, fetch) => sum + heldBytesOf(fetch), 0))
    },
  })
  return holders
}

/** Counts the transfers that are put into the result. */
function openTransfers(registers: Registers): Map<ServiceName, Transfers> {
  const transfers = new Map<ServiceName, Transfers>()
  new Gauge({
    name: 'plinth_open_transfers',
    help: 'Bodies of uploads (in) and downloads (out) in progress.',
    labelNames: ['service', 'direction'],
    registers,
    collect() {
      for (const [service, open] of transfers)
        for (const direction of ['in', 'out'] as const) this.set({ service, direction }, open[direction])
    },
  })
  return transfers
}
