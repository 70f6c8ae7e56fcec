import { eventEmitter, type Reporter } from '../kernel/event-emitter.ts'
import { type Instant, systemEnv } from '../kernel/index.ts'
import type { Answered, Exchange, ExchangeHandler, ReceivedExchange } from './exchange.ts'

/**
 * One request over HTTP, for an access log. It contains no secret: nothing of headers, query and body.
 */
export interface RequestRecord<Caller = string> {
  /** When its answer was sent. */
  readonly at: Instant
  /** The client's `X-Request-Id`, or one that was made for this request; the answer carries it in the same header. */
  readonly id: string
  /** The method as sent. */
  readonly method: string
  /** The service's own path: without the query, and without the prefix of `mount`. */
  readonly path: string
  /** The `id` of its route, for metrics: there are few. Null if no route matched, or the service did not look it up. */
  readonly route: string | null
  /** The status of the answer; 499 if the client disconnected. */
  readonly status: number
  /** How many bytes of a body were sent: fewer than announced if the client disconnected. */
  readonly bytes: number
  /** How long the answer took, in milliseconds, including the wait for changes and a body that streams. */
  readonly durationMs: number
  /** The client's address, if the listener knows it. */
  readonly address: string | null
  /** The caller; null for an unknown one. */
  readonly caller: Caller | null
}

/** Data collected about a request while it is answered. */
export interface RequestNotes {
  route: string | null
  caller: string | null
}

/** An id that a client may choose: it appears in logs. */
const requestId = /^[\w.:-]{1,128}$/

/** Creates the record of each request once its answer is sent. */
export function recorded(
  answer: (exchange: ReceivedExchange, notes: RequestNotes) => Promise<Answered>,
  onRequest: (record: RequestRecord, exchange: Exchange) => void,
  {
    now = () => systemEnv().now,
    onError,
  }: { readonly now?: (() => Instant) | undefined; readonly onError: Reporter },
): ExchangeHandler {
  const emit = eventEmitter(onRequest, onError)
  return async (exchange) => {
    const since = now()
    const given = exchange.header('x-request-id')
    const id = given !== undefined && requestId.test(given) ? given : systemEnv().newId('request')
    const notes: RequestNotes = { route: null, caller: null }
    const answered = await answer(exchange, notes)
    answered.headers['x-request-id'] = id
    answered.onSent = (bytes) => {
      const at = now()
      const record: RequestRecord = {
        at,
        id,
        method: exchange.method,
        path: exchange.path,
        route: notes.route,
        status: answered.status,
        bytes,
        durationMs: Math.max(0, at - since),
        address: exchange.peer?.address ?? null,
        caller: notes.caller,
      }
      emit(record, exchange)
    }
    return answered
  }
}
