import { eventEmitter, type Reporter } from '../kernel/event-emitter.ts'
import { type Instant, systemEnv } from '../kernel/index.ts'
import type { Answered, Exchange } from './exchange.ts'

/**
 * One request over HTTP, for an access log. It contains no secret: nothing of headers, query and body.
 */
export interface RequestRecord<Caller = string> {
  /** When it was answered. */
  readonly at: Instant
  /** The method as sent. */
  readonly method: string
  /** The service's own path: without the query, and without the prefix of `mount`. */
  readonly path: string
  /** The `id` of its route, for metrics: there are few. Null if no route matched, or the service did not look it up. */
  readonly route: string | null
  /** The status of the answer; 499 if the client disconnected. */
  readonly status: number
  /** How long the answer took, in milliseconds, including the wait for changes; a body that streams may take longer. */
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

/** Creates the record of each request once it is answered. */
export function recorded(
  answer: (exchange: Exchange, notes: RequestNotes) => Promise<Answered>,
  onRequest: (record: RequestRecord, exchange: Exchange) => void,
  {
    now = () => systemEnv().now,
    onError,
  }: { readonly now?: (() => Instant) | undefined; readonly onError: Reporter },
): (exchange: Exchange) => Promise<Answered> {
  const emit = eventEmitter(onRequest, onError)
  return async (exchange) => {
    const since = now()
    const notes: RequestNotes = { route: null, caller: null }
    const answered = await answer(exchange, notes)
    const at = now()
    const record: RequestRecord = {
      at,
      method: exchange.method,
      path: exchange.path,
      route: notes.route,
      status: answered.status,
      durationMs: Math.max(0, at - since),
      address: exchange.peer?.address ?? null,
      caller: notes.caller,
    }
    emit(record, exchange)
    return answered
  }
}
