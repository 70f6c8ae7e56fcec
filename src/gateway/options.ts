import type { ConsoleUrl, RequestRecord } from '../http/index.ts'
import type { OptionNames } from '../kernel/check-options.ts'
import type { Env, ServiceEvent, Timers } from '../kernel/index.ts'
import type { ShutdownEvent } from './graceful-shutdown.ts'
import type { WorkerEvent } from './worker.ts'

/**
 * The events of a gateway.
 */
export type GatewayEvent = ShutdownEvent | WorkerEvent

/**
 * The options of a gateway.
 */
export interface GatewayOptions {
  /** Whether this process runs a controller; `true` by default. */
  readonly controller?: boolean | undefined
  /** Called at every probe: whether the controller's API server is up; always by default. No answer in 5 s is a no. */
  readonly isUp?: (() => boolean | Promise<boolean>) | undefined
  /** How long to report unhealthy before shutdown starts, in milliseconds; 0 by default, for no grace period. */
  readonly graceMs?: number | undefined
  /**
   * A worker in this process: `true` for one that is always connected, or its connection to an upstream. `dial` settles
   * when the connection is established or has failed; a failed or lost connection is dialled again automatically.
   */
  readonly worker?: boolean | { readonly dial: (signal: AbortSignal) => Promise<void> } | undefined
  /** The clock; the system's by default. */
  readonly env?: (() => Env) | undefined
  /** Timers for grace periods and retries; the host's by default. */
  readonly timers?: Timers | undefined
  /**
   * The URL of a console for this service, for the page at `/` in a browser; a function if it is known only once all
   * listeners are ready.
   */
  readonly consoleUrl?: ConsoleUrl | undefined
  /** Called for every transition of the controller and the worker. */
  readonly onEvent?: ((event: ServiceEvent<GatewayEvent>) => void) | undefined
  /**
   * Called for every HTTP request once it is answered, for access logs and metrics. Callers are not identified.
   */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Called for unexpected errors; `id` is the reference in the caller's answer, if there was one. */
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
