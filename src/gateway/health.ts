import { checkArguments } from '../kernel/check-arguments.ts'
import type { Shutdown } from './graceful-shutdown.ts'
import type { Worker } from './worker.ts'

/**
 * The answer to a health probe.
 */
export interface Health {
  /** 200 while healthy, 503 from the first shutdown signal on or while the controller is down. */
  readonly status: 200 | 503
  /** The worker, if the probe asked for it and this process has one. */
  readonly worker: Worker | undefined
}

/**
 * Determines the health of a process.
 *
 * @param parts - the controller's shutdown state and whether its API server is up; the worker. A process without a
 * controller is healthy as long as it answers.
 * @param input - `workerInfo`: whether the probe requests the worker, `false` by default
 *
 * @returns `undefined` for a process without either: it has no health endpoint.
 *
 * @remarks
 * A draining controller still reports its worker.
 *
 * @example
 * ```ts
 * import { judgeHealth, serving } from 'plinth/gateway'
 *
 * judgeHealth({ controller: { shutdown: serving, up: true } })?.status // 200
 * judgeHealth({}) // undefined
 * ```
 */
export function judgeHealth(
  parts: {
    readonly controller?: { readonly shutdown: Shutdown; readonly up: boolean } | undefined
    readonly worker?: Worker | undefined
  },
  input: { readonly workerInfo?: boolean | undefined } = {},
): Health | undefined {
  checkArguments('parts', parts)
  const { controller, worker } = parts
  if (!controller && !worker) return undefined
  const healthy = !controller || (controller.up && controller.shutdown.phase === 'serving')
  return { status: healthy ? 200 : 503, worker: input.workerInfo ? worker : undefined }
}
