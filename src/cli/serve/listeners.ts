import { exchangeHandlerOf, fetchOf } from '../../http/fetch.ts'
import { type FetchHandler, type Listening, serve } from '../../http/node/index.ts'
import { UserError } from '../user-error.ts'
import type { ServiceName } from './flags.ts'
import type { ListenerSettings, Settings } from './settings.ts'

/** An open listener. */
export interface Bound {
  readonly service: ServiceName | undefined
  readonly at: Listening
  /** Applies changed settings; returns those that need a restart. */
  readonly reload: (next: ListenerSettings) => string | undefined
}

/** Handles the requests of a listener; `url` is known once it listens. */
export type HandlerOf = (listener: ListenerSettings, url: () => string) => FetchHandler

/** Opens all listeners, one after another. */
export async function listenAll(settings: Settings, handlerOf: HandlerOf): Promise<readonly Bound[]> {
  const bound: Bound[] = []
  for (const listener of settings.listeners) {
    try {
      bound.push(await listenAt(listener, handlerOf))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new UserError(`${listener.service ?? listener.purpose}: ${reason}`)
    }
  }
  return bound
}

async function listenAt(listener: ListenerSettings, handlerOf: HandlerOf): Promise<Bound> {
  const { host, port, tls, service } = listener
  const url = () => at.url
  let handler = handlerOf(listener, url)
  // Settings change while it listens: each request goes to the newest handler.
  const at: Listening = await serve({
    fetch: fetchOf((exchange) => exchangeHandlerOf(handler)(exchange)),
    host,
    port,
    ...(tls ? { tls } : {}),
  })
  return {
    service,
    at,
    reload: (next) => {
      if (next.host !== host || next.port !== port || (next.tls === undefined) !== (tls === undefined))
        return `${listener.purpose}: changing the address or turning TLS on needs a restart`
      if (next.tls) at.replaceTls(next.tls)
      handler = handlerOf(next, url)
      return undefined
    },
  }
}

export const closeListeners = (bound: readonly Bound[]): Promise<unknown> =>
  Promise.all(bound.map(({ at }) => at.close({ drainMs: 10_000 })))
