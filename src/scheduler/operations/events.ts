import * as z from 'zod'
import { argument, optionalArgument } from '../../operation/arguments.ts'
import { fields } from '../../operation/known-fields.ts'
import { operation } from '../../operation/operation.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { type ClusterEvents, follow } from '../service/event-stream/follow.ts'
import { mayFollow, readTopics } from '../service/event-stream/topics.ts'
import { foundNow } from '../service/read/read.ts'

/**
 * The options of an event stream.
 */
export interface StreamEventsCall {
  /** The caller's secret; without it they are anonymous. Ignored while access control is off. */
  readonly token?: string | undefined
  /** `default` by default; `*` is every namespace the caller may see. */
  readonly namespace?: string | undefined
  /**
   * `Job`, or `Job:web` for events of one key; `*`, the default, is everything and requires management. Evaluations,
   * allocations and deployments are also found by the ID of their job.
   */
  readonly topics?: readonly string[] | undefined
  /** Starts with the events of this index (inclusive); 0, the default, with the oldest kept ones. */
  readonly index?: number | undefined
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined
}

const streamed = argument<StreamEventsCall>(
  'call',
  fields({
    token: z.string().optional(),
    namespace: z.string().optional(),
    topics: z.array(z.string()).optional(),
    index: z.int().min(0).optional(),
    signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal).optional(),
  } satisfies Record<keyof StreamEventsCall, z.ZodType>),
)

/** The event stream. */
export const eventOperations = {
  /**
   * Streams the changes of the cluster, starting at an index; requires `namespace:read-job`, `node:read`,
   * `node_pool:read` or management, depending on the topics. Only the newest changes are kept: older ones are reported
   * as lost. The stream ends with the caller's rights, and for a reader that falls behind the kept changes.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const stream = await scheduler.streamEvents({ topics: ['Job:web'] })
   * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
   * const types: string[] = []
   * if (stream.ok)
   *   for await (const { Events } of stream.value) {
   *     types.push(...Events.map(({ Type }) => Type))
   *     break
   *   }
   * types // ['JobRegistered']
   * ```
   */
  streamEvents: operation({
    takes: [optionalArgument(streamed)],
    refuses: ['permission_denied', 'invalid_topic'],
    run: (cluster: Cluster, call: StreamEventsCall = {}) => {
      const { token, namespace = 'default', topics: given = [], index = 0, signal } = call
      return enter(cluster, { token }, ({ now, access }) => {
        const topics = readTopics(given)
        if (!topics.ok) return topics
        if (!mayFollow(access, topics.value, namespace)) return permissionDenied()
        const { authenticate, events, view } = cluster
        const value: AsyncIterable<ClusterEvents> = follow(events, {
          topics: topics.value,
          namespace,
          index,
          signal: signal ?? never,
          access: () => {
            const caller = authenticate(view.stale(), token)
            return caller.ok ? caller.value.access : undefined
          },
        })
        return foundNow(cluster, value, Math.max(1, now.rev))
      })
    },
  }),
}

const never = new AbortController().signal
