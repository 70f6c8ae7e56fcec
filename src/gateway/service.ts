import { defineService, type OpenApiDocument, type RequestRecord, type Route } from '../http/index.ts'
import { announcer } from '../kernel/announcer.ts'
import { checkCalled } from '../kernel/check-called.ts'
import { checkNumbers } from '../kernel/check-numbers.ts'
import { checkOptions, type OptionNames } from '../kernel/check-options.ts'
import {
  type Env,
  type Outcome,
  type ServiceEvent,
  systemEnv,
  systemTimers,
  type Timers,
} from '../kernel/index.ts'
import type { ConnectionVerb } from './connection.ts'
import {
  endGrace,
  finishShutdown,
  type Shutdown,
  type ShutdownEvent,
  serving,
  signalShutdown,
} from './grace.ts'
import { judgeHealth } from './health.ts'
import { type HealthContext, healthRoutes, kindAndMessage } from './routes.ts'
import {
  countConnection,
  moveConnection,
  newWorker,
  startWorker,
  stopWorker,
  type Worker,
  type WorkerEvent,
} from './worker.ts'

/**
 * What a gateway reports.
 *
 * @public
 */
export type GatewayEvent = ShutdownEvent | WorkerEvent

/**
 * What a gateway is made of.
 *
 * @public
 */
export interface GatewayOptions {
  /** Whether this process runs a controller; `true` by default. */
  readonly controller?: boolean | undefined
  /** Asked at every probe: whether the controller's API server is up; always by default. */
  readonly isUp?: (() => boolean | Promise<boolean>) | undefined
  /** How long to report unhealthy before shutdown starts, in milliseconds; 0 by default, which is no grace. */
  readonly graceMs?: number | undefined
  /**
   * A worker in this process: `true` for one that is connected at once, or how it connects to its upstream. `dial` settles
   * when the connection is made or has failed; a failed or lost connection is dialled again by itself.
   */
  readonly worker?: boolean | { readonly dial: (signal: AbortSignal) => Promise<void> } | undefined
  /** Where commands get their time from; the system's clock by default. */
  readonly env?: (() => Env) | undefined
  /** How graces and retries wait; the host's timers by default. */
  readonly timers?: Timers | undefined
  /** Hears of every move of the controller and the worker. */
  readonly onEvent?: ((event: ServiceEvent<GatewayEvent>) => void) | undefined
  /**
   * Hears of every request over HTTP once it is answered, for access logs and metrics.
   * Nobody is known to ask.
   */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Hears of unforeseen errors; `id` is the reference that the caller was given, where there was one. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

const gatewayOptions: OptionNames<GatewayOptions> = {
  controller: true,
  isUp: true,
  graceMs: true,
  worker: { dial: true },
  env: true,
  timers: true,
  onEvent: true,
  onRequest: true,
  onError: true,
}

/**
 * How a grace period ended: it ran out, or another signal cut it short.
 *
 * @public
 */
export type GraceEnd = 'elapsed' | 'forced'

/**
 * The health of a process, as an endpoint and as methods.
 *
 * @public
 */
export interface Gateway {
  /** Answers a request; never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /** The route table: one endpoint. */
  readonly routes: readonly Route<HealthContext>[]
  /** The OpenAPI 3.1 document of the endpoint. */
  readonly openapi: () => OpenApiDocument
  /** The table as text. */
  readonly help: (prefix?: string) => string
  /** Where the controller is on its way down. */
  readonly shutdown: () => Shutdown
  /** The worker; `undefined` when this process has none. */
  readonly worker: () => Worker | undefined
  /**
   * Takes a shutdown signal: probes get 503 at once, and the promise settles when the grace is over and shutdown
   * should start. A second signal ends the grace at once, for both callers.
   */
  readonly beginShutdown: (graceMs?: number) => Promise<GraceEnd>
  /** Says that the worker's connection broke; it is dialled again after a pause. Nothing happens unless it is `READY`. */
  readonly connectionLost: () => void
  /** Counts a session's connection on the worker; the returned function closes it. */
  readonly openConnection: (session: string) => () => void
  /** Ends the worker and every timer. The endpoint goes on answering 503, for it is the last to go. */
  readonly close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Makes the health endpoint of a process, with its grace period and its worker.
 *
 * @remarks
 * The endpoint is for a listener of its own (purpose `ops`, port 9203 by default), which
 * should close last, so that probes see 503 until the end.
 *
 * @throws TypeError that names an option which it does not have
 *
 * @example
 * ```ts
 * import { createGateway, type WorkerHealth } from 'plinth/gateway'
 *
 * const gateway = createGateway({ worker: true, graceMs: 3000 })
 * const healthy = await gateway.fetch(new Request('http://localhost/health?worker_info=1'))
 * healthy.status // 200
 * const probe = (await healthy.json()) as WorkerHealth
 * probe.worker_process_info?.upstream_connection_state // 'READY'
 *
 * void gateway.beginShutdown()
 * const draining = await gateway.fetch(new Request('http://localhost/health'))
 * draining.status // 503
 * await gateway.close()
 * ```
 *
 * @public
 */
export function createGateway(options: GatewayOptions = {}): Gateway {
  checkOptions('createGateway', options, gatewayOptions)
  checkCalled(options, ['isUp', 'env', 'onEvent', 'onRequest', 'onError'])
  if (typeof options.worker === 'object') checkCalled({ 'worker.dial': options.worker.dial }, ['worker.dial'])
  const { env = systemEnv, timers = systemTimers } = options
  const announce = announcer(options.onEvent, (error) => options.onError?.(error))
  checkNumbers({ least: 0, unit: 'milliseconds' }, { graceMs: options.graceMs })
  let shutdown = serving
  let worker = options.worker ? newWorker : undefined
  const ending = new AbortController()
  let cancelRetry = () => {}
  const waiting: ((end: GraceEnd) => void)[] = []
  let cancelGrace = () => {}

  /** Takes a state over and tells of it afterwards: whoever hears of it sees it, and may act on it at once. */
  const enter = <State>(
    outcome: Outcome<State, unknown, GatewayEvent, string>,
    take: (state: State) => void,
  ): boolean => {
    if (!outcome.ok) return false
    take(outcome.state)
    const at = env().now
    for (const event of outcome.events) announce({ at, ...event })
    return true
  }
  const takeWorker = (next: Worker) => {
    worker = next
  }
  const moveWorker = (verb: ConnectionVerb): boolean =>
    worker !== undefined && enter(moveConnection(worker, { verb }, env()), takeWorker)
  /** A failure arms its own retry, so that no connection stays broken. */
  const failed = (): void => {
    // Whoever heard of the failure may have begun the shutdown.
    if (!moveWorker('fail') || worker?.connection !== 'TRANSIENT_FAILURE') return
    const { now } = env()
    cancelRetry = timers.after(Math.max(0, (worker?.retryAt ?? now) - now), () => {
      if (moveWorker('retry')) void dial()
    })
  }
  const dial = async (): Promise<void> => {
    try {
      if (typeof options.worker === 'object') await options.worker.dial(ending.signal)
    } catch {
      return failed()
    }
    moveWorker('succeed')
  }
  /** Once shutdown has begun the worker stops too. */
  const moveShutdown = (outcome: Outcome<Shutdown, unknown, ShutdownEvent, string>): void => {
    enter(outcome, (next) => {
      shutdown = next
    })
    if (shutdown.phase !== 'stopping' && shutdown.phase !== 'stopped') return
    cancelRetry()
    ending.abort()
    if (worker) enter(stopWorker(worker, {}, env()), takeWorker)
  }
  const endWaits = (end: GraceEnd): void => {
    cancelGrace()
    for (const settle of waiting.splice(0)) settle(end)
  }

  if (worker) {
    enter(startWorker(worker, {}, env()), takeWorker)
    moveWorker('connect')
    if (typeof options.worker === 'object') void dial()
    else moveWorker('succeed')
  }

  const runsController = options.controller ?? true
  const service = defineService<HealthContext, 'nothing_to_report'>({
    name: 'gateway',
    about: 'Health of a controller and its worker, for load balancers.',
    routes: healthRoutes,
    // A controller knows the path but not the method; a worker alone implements nothing else.
    statusOf: { nothing_to_report: 404, method_not_allowed: runsController ? 405 : 501 },
    dialect: kindAndMessage,
    context: async () => {
      const up = (await options.isUp?.()) ?? true
      const controller = runsController ? { shutdown, up } : undefined
      return { judge: (input) => judgeHealth({ controller, worker }, input) }
    },
    newId: () => env().newId('error'),
    onError: options.onError,
    onRequest: options.onRequest,
    now: () => env().now,
  })

  const close = async (): Promise<void> => {
    if (shutdown.phase !== 'stopping') moveShutdown(signalShutdown(shutdown, { graceMs: 0 }, env()))
    moveShutdown(finishShutdown(shutdown, {}, env()))
    endWaits('forced')
  }

  return {
    fetch: service.fetch,
    routes: service.routes,
    openapi: service.openapi,
    help: service.help,
    shutdown: () => shutdown,
    worker: () => worker,
    beginShutdown: async (graceMs = options.graceMs ?? 0) => {
      checkNumbers({ least: 0, unit: 'milliseconds' }, { graceMs })
      moveShutdown(signalShutdown(shutdown, { graceMs }, env()))
      if (shutdown.phase === 'stopping') return 'elapsed'
      if (shutdown.phase === 'stopped') {
        endWaits('forced')
        return 'forced'
      }
      return new Promise<GraceEnd>((resolve) => {
        waiting.push(resolve)
        const elapsed = () => {
          // The timer decides, not the clock: one may have been set back, or be a millisecond behind the other.
          const now = Math.max(env().now, shutdown.graceEndsAt ?? 0)
          moveShutdown(endGrace(shutdown, {}, { ...env(), now }))
          endWaits('elapsed')
        }
        cancelGrace = timers.after(graceMs, elapsed, { hold: true })
      })
    },
    connectionLost: () => {
      // What is being dialled says itself whether it came about; only what was there can be lost.
      if (worker?.connection === 'READY') failed()
    },
    openConnection: (session) => {
      const count = (change: 1 | -1) => {
        if (worker) enter(countConnection(worker, { session, change }, env()), takeWorker)
      }
      count(1)
      let open = true
      return () => {
        if (open) count(-1)
        open = false
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
