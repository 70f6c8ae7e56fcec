import * as z from 'zod'
import { type ErrorDialect, type Reply, type Route, reply, route } from '../http/index.ts'
import { type Refusal, refuse } from '../kernel/index.ts'
import type { Health } from './health.ts'
import { BooleanText, toWorkerHealth, WorkerHealth } from './wire.ts'

/** The state of the process that the health endpoint reports. */
export interface HealthContext {
  /** Returns the answer to a probe; `undefined` when there is nothing to report. */
  readonly judge: (input: { readonly workerInfo: boolean }) => Health | undefined
}

/** The one endpoint of an ops listener. */
export const healthRoutes: readonly Route<HealthContext, 'nothing_to_report'>[] = [
  route<HealthContext>()({
    id: 'gateway.health',
    method: 'GET',
    path: '/health',
    summary: 'Check whether the controller is up, and optionally read the state of its worker',
    description:
      '200 with an empty body while healthy, 503 from the first shutdown signal on. `worker_info=1` adds the worker as JSON, with either status.',
    access: 'none',
    query: z.object({ worker_info: BooleanText.optional() }),
    reply: WorkerHealth,
    also: {
      200: { description: 'empty, unless `worker_info` is set' },
      503: { description: 'shutting down', reply: WorkerHealth },
    },
    refusals: ['nothing_to_report'],
    handle: ({ context, query }): Reply | ReturnType<typeof refuse<'nothing_to_report'>> => {
      const health = context.judge({ workerInfo: query.worker_info ?? false })
      if (!health) return refuse('nothing_to_report', 'this process runs neither a controller nor a worker')
      const { status, worker } = health
      const headers = { 'cache-control': 'no-store' }
      return worker ? reply(toWorkerHealth(worker), { status, headers }) : { status, headers }
    },
  }),
]

/** The kind of an error, which clients of such endpoints switch on. */
const kinds: Readonly<Record<number, string>> = {
  400: 'InvalidArgument',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  413: 'ResourceExhausted',
  500: 'Internal',
  501: 'Unimplemented',
  503: 'Unavailable',
  507: 'ResourceExhausted',
}

/** `{"kind":"NotFound","message":"…"}`. */
export const kindAndMessage: ErrorDialect = Object.assign(
  ({ message }: Refusal, status: number) => ({
    content: JSON.stringify({ kind: kinds[status] ?? 'Unknown', message }),
    type: 'application/json',
  }),
  { schema: z.object({ kind: z.string(), message: z.string() }).meta({ id: 'Errors' }) },
)
