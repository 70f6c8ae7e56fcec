import { exchangeHandlerOf, fetchOf } from '../../http/fetch.ts'
import { type FetchHandler, type Listening, type ServeOptions, serve } from '../../http/node/index.ts'
import { UserError } from '../user-error.ts'
import type { ServiceName } from './flags.ts'
import type { ListenerSettings, Settings } from './settings.ts'

/** An open listener. */
export interface Bound {
  readonly service: ServiceName | undefined
  readonly at: Listening
  /** Replaces the handler that answers during the start. */
  readonly open: (handlerOf: HandlerOf) => void
  /** Applies changed settings; returns those that need a restart. */
  readonly reload: (next: ListenerSettings) => string | undefined
}

/** Handles the requests of a listener; `url` is known once it listens. */
export type HandlerOf = (listener: ListenerSettings, url: () => string) => FetchHandler

/**
 * Checks that every address and certificate can be used: before data are opened, which a start that is refused must not
 * leave behind.
 */
export async function checkAddresses({ listeners, console, only }: Settings): Promise<void> {
  const tried: Listening[] = []
  const fetch = () => new Response(null, { status: 503 })
  const attempt = async (name: string, options: Omit<ServeOptions, 'fetch'>) => {
    tried.push(await orRefused(name, serve({ fetch, ...options })))
  }
  try {
    for (const { service, purpose, host, port, tls } of listeners)
      await attempt(service ?? purpose, { host, port, ...(tls ? { tls } : {}) })
    // Without a port of its own, the console takes any.
    if (only.has('console') && console.port !== undefined)
      await attempt('console', { host: console.host, port: console.port })
  } finally {
    await Promise.all(tried.map((each) => each.close({ drainMs: 0 })))
  }
}

/** Opens all listeners, one after another; `starting` answers until each is opened. */
export async function listenAll(settings: Settings, starting: FetchHandler): Promise<readonly Bound[]> {
  const bound: Bound[] = []
  try {
    for (const listener of settings.listeners)
      bound.push(await orRefused(listener.service ?? listener.purpose, listenAt(listener, starting)))
  } catch (error) {
    await closeListeners(bound, 0)
    throw error
  }
  return bound
}

const orRefused = <T>(name: string, listening: Promise<T>): Promise<T> =>
  listening.catch((error: unknown) => {
    throw new UserError(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  })

async function listenAt(listener: ListenerSettings, starting: FetchHandler): Promise<Bound> {
  const { host, port, tls, service } = listener
  const url = () => at.url
  let handler = starting
  let handlerOf: HandlerOf = () => starting
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
    open: (opened) => {
      handlerOf = opened
      handler = handlerOf(listener, url)
    },
    reload: (next) => {
      if (next.host !== host || next.port !== port || (next.tls === undefined) !== (tls === undefined))
        return `${listener.purpose}: changing the address or turning TLS on needs a restart`
      if (next.tls) at.replaceTls(next.tls)
      handler = handlerOf(next, url)
      return undefined
    },
  }
}

export const closeListeners = (bound: readonly Bound[], drainMs = 10_000): Promise<unknown> =>
  Promise.all(bound.map(({ at }) => at.close({ drainMs })))
