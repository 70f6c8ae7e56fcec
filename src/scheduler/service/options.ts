import type { ConsoleUrl, RequestRecord } from '../../http/index.ts'
import type { OptionNames } from '../../kernel/check-options.ts'
import type { Env, ServiceEvent, Timers } from '../../kernel/index.ts'
import type { Store } from '../../store/index.ts'
import type { WaitLimits } from '../blocking/wait.ts'
import type { CollectOptions } from '../gc/ages.ts'
import type { SchedulerEvent } from './events.ts'

/**
 * What a scheduler is made of.
 *
 * @public
 */
export interface SchedulerOptions {
  /** Where it keeps its state; a fresh memory store by default. The service does not close it. */
  readonly store?: Store | undefined
  /** Time and identifiers; the system's by default. */
  readonly env?: (() => Env) | undefined
  /** How it waits: for blocking queries, heartbeats, launches and collections; the host's timers by default. */
  readonly timers?: Timers | undefined
  /** The product word of header names, and the other words accepted and emitted for it. `['Scheduler']` by default. */
  readonly words?: readonly [string, ...string[]] | undefined
  /** Other product words of header names that are accepted and not emitted. None by default. */
  readonly readWords?: readonly string[] | undefined
  /** Whether tokens are asked for; `false` by default, `true` with a `managementToken`. */
  readonly acl?: boolean | undefined
  /** A secret that may do everything, kept nowhere; implies `acl`. */
  readonly managementToken?: string | undefined
  /**
   * Whether jobs may be registered only in namespaces that exist: `managed` always, `open` never. By default as soon as
   * one was written.
   */
  readonly namespaces?: 'managed' | 'open' | undefined
  /** The region this cluster is; `global` by default. */
  readonly region?: string | undefined
  /** What this server is called, where it is: for the list of members. */
  readonly server?:
    | {
        readonly name?: string | undefined
        readonly address?: string | undefined
        readonly datacenter?: string | undefined
      }
    | undefined
  /** `spec` answers callers' mistakes with 4xx; `compat` with the statuses that such services are known for. */
  readonly errors?: 'spec' | 'compat' | undefined
  /** Takes requests for other regions there; without it they are refused. `undefined` says the region is unknown. */
  readonly forward?: ((region: string, request: Request) => Promise<Response | undefined>) | undefined
  /** How far this process is behind a leader; on the leader itself, by default. */
  readonly consistency?:
    | {
        readonly lastContact?: (() => number) | undefined
        readonly knownLeader?: (() => boolean) | undefined
      }
    | undefined
  /** How long blocking queries may wait. */
  readonly waits?: WaitLimits | undefined
  /** Whether registered jobs are placed on nodes; otherwise they stay pending. */
  readonly place?: boolean | undefined
  /** How many allocations all task groups of a job may ask for together; 50,000 by default. */
  readonly maxCount?: number | undefined
  /**
   * How many evaluations of each job are kept that are over, or that nothing works off where nothing is placed; the
   * oldest go first. 100 by default.
   */
  readonly maxEvaluations?: number | undefined
  /**
   * Placed allocations start to run and are healthy at once, and end as soon as they are told to stop. Otherwise they
   * stay as they are until `updateAllocations` says how they fare.
   */
  readonly simulate?: boolean | undefined
  /**
   * After how long a silence a node that sent a heartbeat is lost; nodes are not watched by default. A node is
   * watched by the process that heard it, which must hear all of its heartbeats, and after a restart from the next
   * one on.
   */
  readonly heartbeatTtlMs?: number | undefined
  /**
   * Whether what is over is collected from time to time: dead jobs, evaluations, allocations, deployments, nodes that
   * are down. `true` is after the usual times. Otherwise everything stays until `collectGarbage` is called.
   */
  readonly collect?: boolean | CollectOptions | undefined
  /**
   * How many bytes of request bodies may be in memory at once, of all requests together; 64 MiB by default. A request
   * whose body does not fit is answered 503 with `Retry-After`.
   */
  readonly maxBufferedBytes?: number | undefined
  /**
   * The address of a console for this service, for the page that a browser is shown at `/`; a function where it is known
   * only once everything listens.
   */
  readonly consoleUrl?: ConsoleUrl | undefined
  /** Hears of everything that happened, once it is stored: for audit and metrics. */
  readonly onEvent?: ((event: ServiceEvent<SchedulerEvent>) => void) | undefined
  /**
   * Hears of every request over HTTP once it is answered, for access logs and metrics.
   * Who asked is a token's accessor, or `management`.
   */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Hears of unforeseen errors; `id` is the reference that the caller was given, where there was one. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

export const schedulerOptions: OptionNames<SchedulerOptions> = {
  store: true,
  env: true,
  timers: true,
  words: true,
  readWords: true,
  acl: true,
  managementToken: true,
  namespaces: true,
  region: true,
  server: { name: true, address: true, datacenter: true },
  errors: true,
  forward: true,
  consistency: { lastContact: true, knownLeader: true },
  waits: { defaultMs: true, maxMs: true },
  place: true,
  maxCount: true,
  maxEvaluations: true,
  simulate: true,
  heartbeatTtlMs: true,
  maxBufferedBytes: true,
  collect: {
    everyMs: true,
    jobsMs: true,
    evaluationsMs: true,
    batchMs: true,
    deploymentsMs: true,
    nodesMs: true,
  },
  consoleUrl: true,
  onEvent: true,
  onRequest: true,
  onError: true,
}
