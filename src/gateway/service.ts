import { defineService, type OpenApiDocument, type Route, type ServiceFetch } from '../http/index.ts'
import { checkFunctions } from '../kernel/check-functions.ts'
import { checkNumbers } from '../kernel/check-numbers.ts'
import { checkOptions } from '../kernel/check-options.ts'
import { eventEmitter } from '../kernel/event-emitter.ts'
import { type Outcome, systemEnv, systemTimers } from '../kernel/index.ts'
import {
  endGrace,
  finishShutdown,
  type Shutdown,
  type ShutdownEvent,
  serving,
  signalShutdown,
} from './graceful-shutdown.ts'
import { judgeHealth } from './health.ts'
import { type GatewayEvent, type GatewayOptions, gatewayOptions } from './options.ts'
import { statusOf } from './refusal-codes.ts'
import { type HealthContext, healthRoutes, kindAndMessage } from './routes.ts'
import { runningWorker } from './running-worker.ts'
import type { Worker } from './worker.ts'

/**
 * How a grace period ended: it ran out, or another signal cut it short.
 */
export type GraceEnd = 'elapsed' | 'forced'

/**
 * The health of a process, as an endpoint and as methods.
 */
export interface Gateway {
  /** Answers a request; never rejects. */
  readonly fetch: ServiceFetch
  /** The route table: one endpoint. */
  readonly routes: readonly Route<HealthContext>[]
  /** The OpenAPI 3.1 document of the endpoint. */
  readonly openapi: () => OpenApiDocument
  /** The table as text. */
  readonly help: (prefix?: string) => string
  /** The phase of the controller's shutdown. */
  readonly shutdown: () => Shutdown
  /** The worker; `undefined` if this process has none. */
  readonly worker: () => Worker | undefined
  /**
   * Handles a shutdown signal: probes get 503 immediately, and the promise settles when the grace period is over and
   * shutdown should start. A second signal ends the grace period immediately, for both callers.
   */
  readonly beginShutdown: (graceMs?: number) => Promise<GraceEnd>
  /** Reports that the worker's connection broke; it is dialled again after a pause. No-op unless it is `READY`. */
  readonly connectionLost: () => void
  /** Counts a session's connection on the worker; the returned function closes it. */
  readonly openConnection: (session: string) => () => void
  /** Stops the worker and every timer. The endpoint keeps answering 503, because it is the last to stop. */
  readonly close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** How long `isUp` may take, in milliseconds: less than load balancers wait for a probe. */
const upLimitMs = 5_000

/**
 * Creates the health endpoint of a process, with its grace period and its worker.
 *
 * @remarks
 * The endpoint needs its own listener (purpose `ops`, port 9203 by default), which should close last, so that probes
 * see 503 until the end.
 *
 * @throws TypeError that names an unknown option
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
 */
export function createGateway(options: GatewayOptions = {}): Gateway {
  checkOptions('createGateway', options, gatewayOptions)
  checkFunctions(options, ['isUp', 'env', 'onEvent', 'onRequest', 'onError'])
  if (typeof options.worker === 'object')
    checkFunctions({ 'worker.dial': options.worker.dial }, ['worker.dial'])
  const { env = systemEnv, timers = systemTimers } = options
  const emit = eventEmitter(options.onEvent, eventEmitter(options.onError))
  checkNumbers({ least: 0, unit: 'milliseconds' }, { graceMs: options.graceMs })
  let shutdown = serving
  const waiting: ((end: GraceEnd) => void)[] = []
  let cancelGrace = () => {}

  /** Adopts a state, then emits its events: listeners see the new state, and may act on it immediately. */
  const enter = <State>(
    outcome: Outcome<State, unknown, GatewayEvent, string>,
    take: (state: State) => void,
  ): boolean => {
    if (!outcome.ok) return false
    take(outcome.state)
    const at = env().now
    for (const event of outcome.events) emit({ at, ...event })
    return true
  }
  /** Once shutdown has begun the worker stops too. */
  const moveShutdown = (outcome: Outcome<Shutdown, unknown, ShutdownEvent, string>): void => {
    enter(outcome, (next) => {
      shutdown = next
    })
    if (shutdown.phase !== 'stopping' && shutdown.phase !== 'stopped') return
    worker?.stop()
  }
  const endWaits = (end: GraceEnd): void => {
    cancelGrace()
    for (const settle of waiting.splice(0)) settle(end)
  }

  const { worker: asked } = options
  const dial = typeof asked === 'object' ? (signal: AbortSignal) => asked.dial(signal) : undefined
  const worker = asked ? runningWorker(dial, { env, timers, enter }) : undefined
  const runsController = options.controller ?? true
  /** Whether the controller's API server is up; it is not if it does not say so in time. */
  const isUp = (): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const cancel = timers.after(upLimitMs, () => resolve(false), { hold: true })
      void (async () => (await options.isUp?.()) ?? true)().then(resolve, reject).finally(cancel)
    })
  const service = defineService<HealthContext, 'nothing_to_report'>({
    name: 'gateway',
    about: 'Health of a controller and its worker, for load balancers.',
    page: {
      title: 'Gateway',
      api: '/health',
      links: [{ path: '/health', shows: 'the health endpoint' }],
      consoleUrl: options.consoleUrl,
    },
    routes: healthRoutes,
    // A controller knows the path but not the method; a process with only a worker implements nothing else.
    statusOf: runsController ? statusOf : { ...statusOf, method_not_allowed: 501 },
    dialect: kindAndMessage,
    context: async () => {
      const up = runsController ? await isUp() : true
      const controller = runsController ? { shutdown, up } : undefined
      return { judge: (input) => judgeHealth({ controller, worker: worker?.now() }, input) }
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
    worker: () => worker?.now(),
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
          // The timer decides, not the clock, which may have been set back, or be a millisecond behind.
          const now = Math.max(env().now, shutdown.graceEndsAt ?? 0)
          moveShutdown(endGrace(shutdown, {}, { ...env(), now }))
          endWaits('elapsed')
        }
        cancelGrace = timers.after(graceMs, elapsed, { hold: true })
      })
    },
    connectionLost: () => worker?.lost(),
    openConnection: (session) => {
      worker?.count(session, 1)
      let open = true
      return () => {
        if (open) worker?.count(session, -1)
        open = false
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
