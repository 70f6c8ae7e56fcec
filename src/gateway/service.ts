import { defineService, type OpenApiDocument, type Route, type ServiceFetch } from '../http/index.ts'
import { checkFunctions } from '../kernel/check-functions.ts'
import { checkNumbers } from '../kernel/check-numbers.ts'
import { checkOptions } from '../kernel/check-options.ts'
import { eventEmitter } from '../kernel/event-emitter.ts'
import {
  type Env,
  type Outcome,
  type ServiceEvent,
  systemEnv,
  systemTimers,
  type Timers,
} from '../kernel/index.ts'
import type { Shutdown } from './graceful-shutdown.ts'
import { judgeHealth } from './health.ts'
import { type GatewayEvent, type GatewayOptions, gatewayOptions } from './options.ts'
import { statusOf } from './refusal-codes.ts'
import { type HealthContext, healthRoutes, kindAndMessage } from './routes.ts'
import { type GraceEnd, runningShutdown } from './running-shutdown.ts'
import { runningWorker } from './running-worker.ts'
import type { Worker } from './worker.ts'

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

/** Adopts states, then emits their events: listeners see the new state, and may act on it immediately. */
const entering =
  (env: () => Env, emit: (event: ServiceEvent<GatewayEvent>) => void) =>
  <State>(outcome: Outcome<State, unknown, GatewayEvent, string>, take: (state: State) => void): boolean => {
    if (!outcome.ok) return false
    take(outcome.state)
    const at = env().now
    for (const event of outcome.events) emit({ at, ...event })
    return true
  }

/** Whether the controller's API server is up; it is not if it does not say so in time. */
const isUpInTime = (isUp: NonNullable<GatewayOptions['isUp']>, timers: Timers): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const cancel = timers.after(upLimitMs, () => resolve(false), { hold: true })
    void (async () => (await isUp()) ?? true)().then(resolve, reject).finally(cancel)
  })

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
  const { env = systemEnv, timers = systemTimers, isUp } = options
  const emit = eventEmitter(options.onEvent, eventEmitter(options.onError))
  checkNumbers({ least: 0, unit: 'milliseconds' }, { graceMs: options.graceMs })
  const enter = entering(env, emit)
  const { worker: asked } = options
  const dial = typeof asked === 'object' ? (signal: AbortSignal) => asked.dial(signal) : undefined
  const worker = asked ? runningWorker(dial, { env, timers, enter }) : undefined
  // Once shutdown has begun the worker stops too.
  const shutdown = runningShutdown({ env, timers, enter, stopped: () => worker?.stop() })
  const runsController = options.controller ?? true
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
      const up = runsController && isUp ? await isUpInTime(isUp, timers) : true
      const controller = runsController ? { shutdown: shutdown.now(), up } : undefined
      return { judge: (input) => judgeHealth({ controller, worker: worker?.now() }, input) }
    },
    newId: () => env().newId('error'),
    onError: options.onError,
    onRequest: options.onRequest,
    now: () => env().now,
  })

  const close = async () => shutdown.finish()

  return {
    fetch: service.fetch,
    routes: service.routes,
    openapi: service.openapi,
    help: service.help,
    shutdown: shutdown.now,
    worker: () => worker?.now(),
    beginShutdown: async (graceMs = options.graceMs ?? 0) => {
      checkNumbers({ least: 0, unit: 'milliseconds' }, { graceMs })
      return shutdown.begin(graceMs)
    },
    connectionLost: () => worker?.lost(),
    openConnection: (session) => worker?.open(session) ?? (() => {}),
    close,
    [Symbol.asyncDispose]: close,
  }
}
