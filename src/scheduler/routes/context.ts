import { route as anyRoute, type Exchange, type Reply, type Route, type Words } from '../../http/index.ts'
import type { Refused, Timers } from '../../kernel/index.ts'
import type { BoundOperations } from '../../operation/operation.ts'
import type { Access } from '../acl/access.ts'
import type { operations } from '../operations/operations.ts'
import type { Found, Written } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import type { Asker } from '../wire/query.ts'
import { type MayBeSerialized, serialized } from '../wire/serialized-list.ts'

/** The operations of an open cluster. */
export type Methods = BoundOperations<typeof operations>

/**
 * The context of every route.
 */
export interface RouteContext {
  readonly scheduler: Methods
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

export const route = anyRoute<RouteContext>()

/** The caller of a request, and the signal that ends its wait. */
export const askerOf = ({ token }: RouteContext, exchange: Exchange): Asker => ({
  token,
  listens: () => exchange.signal,
})

/** A read answer with its index, contact and page token headers; a refusal with an index has it too. */
export function foundReply<Value, Code extends SchedulerRefusal>(
  { words }: RouteContext,
  found: (Found<Value> & MayBeSerialized) | Refused<Code>,
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
  { words }: RouteContext,
  written: Written<unknown> | Refused<Code>,
): Reply | Refused<Code> =>
  written.ok ? { status: 200, headers: words.emit({ Index: String(written.index) }) } : written
