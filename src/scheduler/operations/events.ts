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
 * What to follow.
 *
 * @public
 */
export interface StreamEventsCall {
  /** The caller's secret; without it they are anonymous. Ignored while access control is off. */
  readonly token?: string | undefined
  /** `default` by default; `*` is every namespace the caller may see. */
  readonly namespace?: string | undefined
  /**
   * `Job`, or `Job:web` for what is about one key; `*`, the default, is everything and asks for management. Evaluations,
   * allocations and deployments are found by the ID of their job as well.
   */
  readonly topics?: readonly string[] | undefined
  /** Begins with the events of this index, itself included; 0, the default, is from now on. */
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

/** The operation that tells what happens. */
export const eventOperations = {
  /**
   * Tells what changes in the cluster, from an index on; asks for `namespace:read-job`, `node:read`, `node_pool:read` or
   * management, as the topics do. The newest changes are kept: what an index asks for beyond them is said to be lost. The
   * stream ends with the caller's rights, and for a reader so slow that what they have not read yet is no longer kept.
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
