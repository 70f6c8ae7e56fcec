import type { Exchange, Reply, Route, Words } from '../../http/index.ts'
import { operationRoutes } from '../../http/route.ts'
import type { Refused, Timers } from '../../kernel/index.ts'
import type { Work } from '../../operation/operation.ts'
import type { Access } from '../acl/access.ts'
import type { Found, Written } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import type { Asker } from '../wire/query.ts'
import { type MayBeSerialized, serialized } from '../wire/serialized-list.ts'

/** An operation on a cluster whose result is a read or written value, or a refusal. */
export type ClusterWork<Args extends readonly unknown[], Done, Code extends SchedulerRefusal> = Work<
  Cluster,
  Args,
  Promise<Done | Refused<Code>>,
  Code
>

/**
 * The context of every route.
 */
export interface RouteContext {
  /** The cluster, which the first request opens. */
  readonly cluster: () => Cluster | Promise<Cluster>
  readonly words: Words
  /** Whether to reproduce the statuses and quirks of existing services. */
  readonly compat: boolean
  /** Refuses the caller unless they have any right at all; absent while access control is off. */
  readonly judge:
    | ((allows: (access: Access) => boolean) => Promise<Refused<'permission_denied'> | undefined>)
    | undefined
  /** How streams wait. */
  readonly timers: Timers
  /** The secret the caller sent. */
  readonly token: string | undefined
}

/**
 * A route of the scheduler.
 */
export type SchedulerRoute = Route<RouteContext, SchedulerRefusal>

/** Declares a route of the scheduler by the operation that does its work. */
export const operationRoute = operationRoutes(({ cluster }: RouteContext) => cluster())

/** A call of a route, for the functions that answer. */
interface Answered {
  readonly context: RouteContext
}

/** The caller of a request, and the signal that ends its wait. */
export const askerOf = ({ token }: RouteContext, exchange: Exchange): Asker => ({
  token,
  listens: () => exchange.signal,
})

/** A read answer with its index, contact and page token headers; a refusal with an index has it too. */
export function foundReply<Value, Code extends SchedulerRefusal>(
  found: (Found<Value> & MayBeSerialized) | Refused<Code>,
  { context: { words } }: Answered,
): Reply | Refused<Code> {
  if (!found.ok) {
    const index = found.refusal.detail?.['index']
    if (typeof index !== 'number') return found
    const headers = headersOf(words, { index, lastContact: 0, knownLeader: true })
    return { ok: false, refusal: { ...found.refusal, detail: { ...found.refusal.detail, headers } } }
  }
  return { headers: headersOf(words, found), body: found[serialized] ?? found.value }
}

const headersOf = (
  words: Words,
  { index, lastContact, knownLeader, nextToken }: Omit<Found<unknown>, 'ok' | 'value'>,
) =>
  words.emit({
    Index: String(index),
    LastContact: String(Math.max(0, Math.trunc(lastContact))),
    KnownLeader: String(knownLeader),
    NextToken: nextToken,
  })

/** Answers a write that returns only its index. */
export const writtenReply = <Code extends SchedulerRefusal>(
  written: Written<unknown> | Refused<Code>,
  { context: { words } }: Answered,
): Reply | Refused<Code> =>
  written.ok ? { status: 200, headers: words.emit({ Index: String(written.index) }) } : written
