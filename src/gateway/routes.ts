import * as z from 'zod'
import { type ErrorDialect, type Route, reply } from '../http/index.ts'
import { operationRoutes } from '../http/route.ts'
import { type Refusal, refuse } from '../kernel/index.ts'
import { routeOperation } from '../operation/operation.ts'
import type { Health } from './health.ts'
import { BooleanText, toWorkerHealth, WorkerHealth } from './wire.ts'

/** The state of the process that the health endpoint reports. */
export interface HealthContext {
  /** Returns the answer to a probe; `undefined` when there is nothing to report. */
  readonly judge: (input: { readonly workerInfo: boolean }) => Health | undefined
}

/** Judges the health of the process. */
const judge = routeOperation({
  refuses: ['nothing_to_report'],
  run: async ({ judge }: HealthContext, workerInfo: boolean) => {
    const health = judge({ workerInfo })
    return health
      ? { ok: true as const, value: health }
      : refuse('nothing_to_report', 'this process runs neither a controller nor a worker')
  },
})

/** The one endpoint of an ops listener. */
export const healthRoutes: readonly Route<HealthContext, 'nothing_to_report'>[] = [
  operationRoutes((context: HealthContext) => context)({
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
    run: judge,
    with: ({ query }) => [query.worker_info ?? false],
    show: ({ status, worker }) => {
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
