import * as z from 'zod'
import { raw, reply } from '../../http/index.ts'
import { refuse } from '../../kernel/index.ts'
import type { ClusterMetrics } from '../operations/metrics.ts'
import { operations } from '../operations/operations.ts'
import { operationRoute, type SchedulerRoute } from './context.ts'

const none = z.array(z.unknown())
const MetricsReply = z.object({
  Timestamp: z.string(),
  Gauges: z.array(
    z.object({ Name: z.string(), Value: z.number(), Labels: z.record(z.string(), z.string()) }),
  ),
  Counters: none,
  Points: none,
  Samples: none,
})

/** The cluster in numbers. */
export const metricsRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'metrics',
    method: 'GET',
    path: '/v1/metrics',
    summary: 'Read the metrics of the cluster, as JSON or in the Prometheus text format',
    access: 'agent:read',
    query: z.object({
      format: z.string().optional().describe('prometheus for its text format'),
      pretty: z.string().optional().describe('formats the JSON'),
    }),
    reply: MetricsReply.meta({ id: 'ClusterMetrics' }),
    refusals: ['invalid_format'],
    run: operations.readMetrics,
    with: ({ context: { token }, query }) => {
      const { format = '' } = query
      return ['', 'json', 'prometheus'].includes(format)
        ? [{ token }]
        : refuse('invalid_format', `unknown format ${JSON.stringify(format)}: json or prometheus`)
    },
    show: (metrics, { query }) =>
      query.format === 'prometheus'
        ? raw(textOf(metrics), 'text/plain; version=0.0.4; charset=utf-8')
        : reply({ ...metrics, Counters: [], Points: [], Samples: [] }),
  }),
]

/** Gauges as Prometheus reads them. */
function textOf({ Gauges }: ClusterMetrics): string {
  const lines: string[] = []
  let last = ''
  for (const { Name, Value, Labels } of Gauges) {
    const name = Name.replace(/\W/g, '_')
    if (name !== last) lines.push(`# TYPE ${name} gauge`)
    last = name
    const labels = Object.entries(Labels).map(([key, value]) => `${key}="${value}"`)
    lines.push(`${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`} ${Value}`)
  }
  return `${lines.join('\n')}\n`
}
