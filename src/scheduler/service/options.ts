import type { ConsoleUrl, RequestRecord } from '../../http/index.ts'
import type { OptionNames } from '../../kernel/check-options.ts'
import type { Env, ServiceEvent, Timers } from '../../kernel/index.ts'
import type { Store } from '../../store/index.ts'
import type { WaitLimits } from '../blocking/wait.ts'
import type { CollectOptions } from '../gc/ages.ts'
import type { SchedulerEvent } from './events.ts'

/**
 * The rights of a caller that your own code has authenticated.
 */
export interface SchedulerRights {
  /** The names of its policies. */
  readonly policies: readonly string[]
  /** Its name in request records. */
  readonly name?: string | undefined
}

/**
 * Options for {@link createScheduler}.
 */
export interface SchedulerOptions {
  /** Stores the state; a new memory store by default. The service does not close it. */
  readonly store?: Store | undefined
  /**
   * How long a call of a store outside this process may make no progress, in milliseconds; 30 s by default. Requests that
   * wait for it are answered 503 then, and `close` ends.
   */
  readonly storeTimeoutMs?: number | undefined
  /** The clock and the source of identifiers; those of the system by default. */
  readonly env?: (() => Env) | undefined
  /** Timers for blocking queries, heartbeats, launches and collections; the host's by default. */
  readonly timers?: Timers | undefined
  /** More product words of header names, beside those it always accepts and emits: `Scheduler` and `Nomad`. */
  readonly words?: readonly string[] | undefined
  /** Whether tokens are required; `false` by default, `true` with a `managementToken`. */
  readonly acl?: boolean | undefined
  /** A secret with all rights, which is never stored; implies `acl`. */
  readonly managementToken?: string | undefined
  /**
   * Returns the rights of a request by your own session, cookie or certificate; `undefined` leaves the request to its
   * token. It is called before tokens are read, with the request without its body, and implies `acl`.
   */
  readonly authenticate?:
    | ((request: Request) => SchedulerRights | undefined | Promise<SchedulerRights | undefined>)
    | undefined
  /**
   * Whether jobs can be registered in existing namespaces only: `managed` always, `open` never; by default as soon as
   * a namespace was written.
   */
  readonly namespaces?: 'managed' | 'open' | undefined
  /** The region of this cluster; `global` by default. */
  readonly region?: string | undefined
  /** The name and address of this server, for the list of members. */
  readonly server?:
    | {
        readonly name?: string | undefined
        readonly address?: string | undefined
        readonly datacenter?: string | undefined
      }
    | undefined
  /** `spec` answers callers' mistakes with 4xx; `compat` with the statuses of existing services, 500 included. */
  readonly errors?: 'spec' | 'compat' | undefined
  /** Forwards requests for other regions; without it they are refused. Return `undefined` for an unknown region. */
  readonly forward?: ((region: string, request: Request) => Promise<Response | undefined>) | undefined
  /** How far this process is behind a leader; by default it is the leader. */
  readonly consistency?:
    | {
        readonly lastContact?: (() => number) | undefined
        readonly knownLeader?: (() => boolean) | undefined
      }
    | undefined
  /** The limits of blocking queries. */
  readonly waits?: WaitLimits | undefined
  /** Whether registered jobs are placed on nodes; otherwise they stay pending. */
  readonly place?: boolean | undefined
  /** The maximum number of allocations of all task groups of a job together; 50,000 by default. */
  readonly maxCount?: number | undefined
  /**
   * How many finished evaluations are kept per job, or pending ones if `place` is off; the oldest are removed first.
   * 100 by default.
   */
  readonly maxEvaluations?: number | undefined
  /**
   * Placed allocations start to run and are healthy immediately, and end as soon as they are stopped. Otherwise they
   * stay as they are until `updateAllocations` says how they fare.
   */
  readonly simulate?: boolean | undefined
  /**
   * Milliseconds from its last heartbeat until a node is lost; by default 30,000 for nodes with a runner, and no other
   * node is watched. On a store that other servers may use, each server tells the others three times in that time which
   * nodes it has heard, and a node is lost up to two thirds of that time later. After a restart a node with a runner is
   * watched at once, any other from its next heartbeat on.
   */
  readonly heartbeatTtlMs?: number | undefined
  /**
   * Whether finished objects are garbage-collected periodically: dead jobs, evaluations, allocations, deployments, down
   * nodes; by default (`true`) at the ages that the original has. With `false` everything stays until `collectGarbage`
   * is called.
   */
  readonly collect?: boolean | CollectOptions | undefined
  /**
   * The maximum bytes of request bodies in memory, of all requests together; 64 MiB by default. A request whose body
   * does not fit is answered 503 with `Retry-After`.
   */
  readonly maxBufferedBytes?: number | undefined
  /**
   * The URL of a console for this service, for the page at `/` in a browser; a function if it is known only once all
   * listeners are ready.
   */
  readonly consoleUrl?: ConsoleUrl | undefined
  /** Called for every event once it is stored, for audit and metrics. */
  readonly onEvent?: ((event: ServiceEvent<SchedulerEvent>) => void) | undefined
  /**
   * Called for every HTTP request once it is answered, for access logs and metrics. The caller is the accessor of its
   * token, or `management`.
   */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Called for unexpected errors; `id` is the reference in the caller's answer, if there was one. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

export const schedulerOptions: OptionNames<SchedulerOptions> = {
  store: true,
  storeTimeoutMs: true,
  env: true,
  timers: true,
  words: true,
  acl: true,
  managementToken: true,
  authenticate: true,
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

/** Whether callers need rights. */
export const isGuarded = ({ acl, managementToken, authenticate }: SchedulerOptions): boolean =>
  acl === true || managementToken !== undefined || authenticate !== undefined
