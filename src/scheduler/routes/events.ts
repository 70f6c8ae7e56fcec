import * as z from 'zod'
import { raw } from '../../http/index.ts'
import { refuse, type Timers } from '../../kernel/index.ts'
import { routeOperation } from '../../operation/operation.ts'
import type { StreamEventsCall } from '../operations/events.ts'
import { operations } from '../operations/operations.ts'
import type { Cluster } from '../service/cluster.ts'
import type { ClusterEvents } from '../service/event-stream/follow.ts'
import { eventTopics } from '../service/event-stream/topics.ts'
import { writtenHeaders } from '../wire/replies.ts'
import { operationRoute, type SchedulerRoute } from './context.ts'

const EventLine = z
  .object({
    Index: z.int(),
    Events: z.array(
      z.object({
        Topic: z.enum(eventTopics),
        Type: z.string(),
        Key: z.string(),
        Namespace: z.string(),
        Index: z.int(),
        Payload: z.record(z.string(), z.unknown()),
      }),
    ),
    Lost: z.object({ From: z.int(), To: z.int() }).optional(),
  })
  .meta({ id: 'ClusterEvents' })

/** The interval of heartbeats in a stream without events. */
const heartbeatMs = 10_000

/** Streams events until its reader is gone. */
const streamEvents = routeOperation({
  refuses: operations.streamEvents.refuses,
  run: async (cluster: Cluster, call: Omit<StreamEventsCall, 'signal'>, gone: AbortController) => {
    const stream = await operations.streamEvents.run(cluster, { ...call, signal: gone.signal })
    return stream.ok ? { ...stream, value: { events: stream.value, gone } } : stream
  },
})

/** The event stream of the cluster. */
export const eventRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'events.stream',
    method: 'GET',
    path: '/v1/event/stream',
    summary: 'Stream the changes of the cluster, one JSON object per line',
    description:
      'Every line holds the events of one index; `{}` every ten seconds is a heartbeat. If the requested index is no longer kept, the first line has Lost, the range of missing indexes. A reader that falls behind the kept range gets the same line, and the stream ends.',
    access: 'namespace:read-job, node:read, node_pool:read or management, depending on the topics',
    query: z.object({
      topic: z
        .string()
        .optional()
        .describe(`Topic or Topic:key, repeatable; one of ${eventTopics.join(', ')}, or *, the default`),
      index: z
        .string()
        .optional()
        .describe('start with the events of this index (inclusive); by default with the oldest kept ones'),
      namespace: z
        .string()
        .optional()
        .describe('default by default; * is every namespace that the caller may see'),
      region: z.string().optional().describe('forwards the request to a server of that region'),
    }),
    reply: EventLine,
    sends: 'application/x-ndjson',
    emits: writtenHeaders,
    refusals: ['invalid_index'],
    run: streamEvents,
    with: ({ context: { token }, query, exchange }) => {
      const { index = '', namespace = '' } = query
      if (!/^\d{0,15}$/.test(index)) return refuse('invalid_index', 'Invalid index')
      // A query names each parameter once; topics may be named again and again.
      const topics = new URLSearchParams(exchange.search).getAll('topic').filter((text) => text !== '')
      return [
        { token, namespace: namespace === '' ? undefined : namespace, topics, index: Number(index) },
        new AbortController(),
      ]
    },
    answer: (stream, { context, exchange }) => {
      if (!stream.ok) return stream
      const { events, gone } = stream.value
      const headers = context.words.emit({ Index: String(stream.index) })
      if (exchange.method === 'HEAD') {
        gone.abort()
        return raw('', 'application/x-ndjson', { headers })
      }
      return raw(linesOf(events, context.timers, gone), 'application/x-ndjson', { headers })
    },
  }),
]

/** Streams lines on demand: each is built when the previous one was read, so that a slow reader blocks nothing. */
function linesOf(
  events: AsyncIterable<ClusterEvents>,
  timers: Timers,
  gone: AbortController,
): ReadableStream<Uint8Array> {
  const lines = events[Symbol.asyncIterator]()
  const bytes = new TextEncoder()
  let next: Promise<IteratorResult<ClusterEvents>> | undefined
  let isDue = false
  let beat = () => {}
  const tick = () => {
    isDue = true
    beat()
    stopBeating = timers.after(heartbeatMs, tick)
  }
  let stopBeating = timers.after(heartbeatMs, tick)
  const end = () => {
    stopBeating()
    gone.abort()
  }
  return new ReadableStream<Uint8Array>(
    {
      // The first line flushes the head of the answer, so that the reader knows that the stream has begun.
      start: (controller) => controller.enqueue(new Uint8Array()),
      pull: async (controller) => {
        next ??= lines.next()
        const due = new Promise<undefined>((resolve) => {
          beat = () => resolve(undefined)
          if (isDue) beat()
        })
        const line = await Promise.race([next, due])
        if (line === undefined) {
          isDue = false
          controller.enqueue(bytes.encode('{}\n'))
          return
        }
        next = undefined
        if (line.done) {
          end()
          controller.close()
        } else controller.enqueue(bytes.encode(`${JSON.stringify(line.value)}\n`))
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
