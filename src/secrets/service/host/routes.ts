import * as z from 'zod'
import { reply } from '../../../http/index.ts'
import { nothing, routeOperation, type Work } from '../../../operation/operation.ts'
import { found } from '../core/answer.ts'
import { answerWith, operationRoute, type Within } from '../core/context.ts'
import { mountsIn } from '../core/find-mounts.ts'
import { enveloped, Kept } from '../core/reply-shapes.ts'
import { timeText } from '../core/time-text.ts'
import { identityOperations } from '../identity/operations.ts'
import { liveAccessors } from '../tokens/find-token.ts'
import { tokenOperations } from '../tokens/operations.ts'

/** One value of a gauge, in the format of metrics collectors. */
const Gauge = z.object({ Name: z.string(), Value: z.number(), Labels: z.record(z.string(), z.string()) })
const Metrics = z.object({
  Timestamp: z.string(),
  Gauges: z.array(Gauge),
  Points: z.array(z.unknown()),
  Counters: z.array(z.unknown()),
  Samples: z.array(z.unknown()),
})
const MetricsQuery = z.object({ format: z.string().optional().describe('`prometheus` for its text form') })

/** A current count, by the name of its route. */
interface Count {
  readonly name: string
  readonly field: string
  readonly summary: string
  /** Lists what is counted. */
  readonly run: Work<Within, [], Promise<{ readonly ok: true; readonly value: readonly unknown[] }>, never>
}

const counted: readonly Count[] = [
  {
    name: 'tokens',
    field: 'service_tokens',
    summary: 'Count the living service tokens',
    run: tokenOperations.accessors,
  },
  { name: 'entities', field: 'entities', summary: 'Count the entities', run: identityOperations.entities },
]

/** The counters of the service. */
const gauges = routeOperation({
  refuses: [],
  run: async ({ core, namespace }: Within) => {
    const tokens = await liveAccessors(core, namespace)
    const mounts = await Promise.all(
      (['secret', 'auth'] as const).map((kind) => mountsIn(core, namespace, kind)),
    )
    return found([
      { name: 'core_unsealed', value: 1 },
      { name: 'token_count', value: tokens.length },
      { name: 'mount_count', value: mounts.flat().length },
    ])
  },
})

/** The routes with metrics of the server. */
export const hostRoutes = [
  operationRoute({
    id: 'sys.step-down',
    method: 'POST',
    path: '/step-down',
    summary: 'Step down as the active server; without effect, because there is no standby',
    access: 'update and sudo',
    run: nothing,
  }),
  operationRoute({
    id: 'sys.host-info',
    method: 'GET',
    path: '/host-info',
    summary: 'Describe the host; the service reports only the time',
    access: 'read',
    reply: enveloped(
      z.object({
        timestamp: z.string(),
        cpu: z.null(),
        cpu_times: z.null(),
        disk: z.null(),
        host: z.null(),
        memory: z.null(),
      }),
    ),
    run: nothing,
    show: (_, { context }) =>
      answerWith(context, {
        data: {
          timestamp: timeText(context.env.now),
          cpu: null,
          cpu_times: null,
          disk: null,
          host: null,
          memory: null,
        },
        warnings: ['the service has no access to information about its host'],
      }),
  }),
  operationRoute({
    id: 'sys.metrics',
    method: 'GET',
    path: '/metrics',
    summary: 'Read the numbers of tokens and mounts of the namespace',
    access: 'read',
    query: MetricsQuery,
    reply: Metrics,
    also: { 200: { description: 'with `format=prometheus`', sends: 'text/plain' } },
    run: gauges,
    show: (found, { context, query }) => {
      const word = context.core.words.canonical.toLowerCase()
      if (query.format === 'prometheus') {
        const lines = found.map(
          ({ name, value }) => `# TYPE ${word}_${name} gauge\n${word}_${name} ${value}\n`,
        )
        return { raw: { content: lines.join(''), type: 'text/plain; version=0.0.4' } }
      }
      return reply({
        Timestamp: timeText(context.env.now),
        Gauges: found.map(({ name, value }) => ({
          Name: `${word}.${name.replace('_', '.')}`,
          Value: value,
          Labels: {},
        })),
        Points: [],
        Counters: [],
        Samples: [],
      })
    },
  }),
  operationRoute({
    id: 'sys.count-requests',
    method: 'GET',
    path: '/internal/counters/requests',
    summary: 'Count requests by month; not supported, and the list is empty',
    access: 'read',
    reply: enveloped(z.object({ counters: z.array(Kept) })),
    run: nothing,
    show: (_, { context }) => answerWith(context, { data: { counters: [] } }),
  }),
  ...counted.map(({ name, field, summary, run }) =>
    operationRoute({
      id: `sys.count-${name}`,
      method: 'GET',
      path: `/internal/counters/${name}`,
      summary,
      access: 'read',
      reply: enveloped(z.object({ counters: z.object({ [field]: z.object({ total: z.int() }) }) })),
      run,
      show: (all, { context }) =>
        answerWith(context, { data: { counters: { [field]: { total: all.length } } } }),
    }),
  ),
  operationRoute({
    id: 'sys.count-activity',
    method: 'GET',
    path: '/internal/counters/activity',
    summary: 'Count clients by month; not supported, and the answer is empty',
    access: 'read',
    run: nothing,
  }),
]
