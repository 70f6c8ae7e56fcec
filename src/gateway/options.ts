import type { ConsoleUrl, RequestRecord } from '../http/index.ts'
import type { OptionNames } from '../kernel/check-options.ts'
import type { Env, ServiceEvent, Timers } from '../kernel/index.ts'
import type { ShutdownEvent } from './graceful-shutdown.ts'
import type { WorkerEvent } from './worker.ts'

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
  /**
   * The address of a console for this service, for the page that a browser is shown at `/`; a function where it is known
   * only once everything listens.
   */
  readonly consoleUrl?: ConsoleUrl | undefined
  /** Hears of every move of the controller and the worker. */
  readonly onEvent?: ((event: ServiceEvent<GatewayEvent>) => void) | undefined
  /**
   * Hears of every request over HTTP once it is answered, for access logs and metrics.
   * Callers are not identified.
   */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Hears of unforeseen errors; `id` is the reference that the caller was given, where there was one. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

export const gatewayOptions: OptionNames<GatewayOptions> = {
  controller: true,
  isUp: true,
  graceMs: true,
  worker: { dial: true },
  env: true,
  timers: true,
  consoleUrl: true,
  onEvent: true,
  onRequest: true,
  onError: true,
}
