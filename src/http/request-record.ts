import { eventEmitter } from '../kernel/event-emitter.ts'
import { type Instant, systemEnv } from '../kernel/index.ts'
import { addressOf } from './mount.ts'
import { peerOf } from './peer.ts'

/**
 * One request over HTTP, as an access log has it. It holds no secret: nothing of headers, query and body.
 *
 * @public
 */
export interface RequestRecord<Caller = string> {
  /** When it was answered. */
  readonly at: Instant
  /** The method as it was sent. */
  readonly method: string
  /** The path as the service knows it: without the query, and without what `mount` put before it. */
  readonly path: string
  /** The `id` of its route, of which there are few: for metrics. Null where there was none, or the service did not look. */
  readonly route: string | null
  /** The status of the answer; 499 where the client went away. */
  readonly status: number
  /** How long the answer took, in milliseconds, waiting for changes included; a body that streams may take longer. */
  readonly durationMs: number
  /** The client's address, where the listener knows it. */
  readonly address: string | null
  /** Who asked; null for nobody that the service knows. */
  readonly caller: Caller | null
}

/** What is learnt about a request while it is answered. */
export interface Met {
  route: string | null
  caller: string | null
}

/** Tells of each request once it is answered. */
export function recorded(
  answer: (request: Request, met: Met) => Promise<Response>,
  onRequest: (record: RequestRecord, request: Request) => void,
  {
    now = () => systemEnv().now,
    onError,
  }: { readonly now?: (() => Instant) | undefined; readonly onError: (error: unknown) => void },
): (request: Request) => Promise<Response> {
  return async (request) => {
    const since = now()
    const met: Met = { route: null, caller: null }
    const response = await answer(request, met)
    const at = now()
    const record: RequestRecord = {
      at,
      method: request.method,
      path: addressOf(request).pathname,
      route: met.route,
      status: response.status,
      durationMs: Math.max(0, at - since),
      address: peerOf(request)?.address ?? null,
      caller: met.caller,
    }
    eventEmitter((heard: RequestRecord) => onRequest(heard, request), onError)(record)
    return response
  }
}
