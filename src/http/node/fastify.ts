import { Server as HttpServer, type IncomingMessage, METHODS, type ServerResponse } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import { checkOptions } from '../../kernel/check-options.ts'
import type { FetchHandler } from '../fetch.ts'
import { acceptAnyMethod } from './any-method.ts'
import { closeSilent } from './close-silent.ts'
import { listenerAt, type NodeListenerOptions } from './listener.ts'

/**
 * Options of {@link fastifyPlinth}.
 */
export interface FastifyPlinthOptions extends NodeListenerOptions {
  /** The handler: a service's `fetch`. */
  readonly fetch: FetchHandler
  /** The path below which it answers; Fastify adds the prefixes of the plugins around it. */
  readonly prefix?: string | undefined
  /** Fastify's own option: the log level of these routes. */
  readonly logLevel?: string | undefined
}

/**
 * What {@link fastifyPlinth} uses of a Fastify instance, version 4 or 5.
 */
export interface FastifyScope {
  readonly server: object
  readonly prefix: string
  /** Leaves bodies to the service. */
  removeAllContentTypeParsers(): void
  /** Accepts bodies of all types. */
  addContentTypeParser(
    type: string,
    parser: (request: never, payload: never, done: (error: Error | null, body?: undefined) => void) => void,
  ): unknown
  /** Tells when all its servers exist. */
  addHook(name: 'onListen', hook: (done: () => void) => void): unknown
  /** Routes the methods that Fastify knows. */
  all(path: string, handler: (request: FastifyMessage, reply: FastifyMessage) => void): unknown
}

/** A request or a reply of Fastify. */
export interface FastifyMessage {
  readonly raw: object
  /** Of a reply: leaves answering to the listener. */
  hijack?(): unknown
}

/**
 * A Fastify plugin (versions 4 and 5) that answers with a service, including the `LIST` method and streamed bodies.
 *
 * @remarks
 * The `prefix` is taken off, unless the service's own paths begin with it (`prefix: '/v1'`). Without a prefix the
 * service answers what no other route of the app does. Hooks and decorators of the app see the requests first; its body
 * parsers do not. Connections that never sent a request are closed together with the app. One app takes any number of
 * services.
 *
 * @example
 * ```ts
 * import fastify from 'fastify'
 * import { fastifyPlinth } from 'plinth/node'
 * import { createRegistry } from 'plinth/registry'
 *
 * const registry = createRegistry()
 * const app = fastify()
 * app.register(fastifyPlinth, { fetch: registry.fetch, prefix: '/modules' })
 * app.addHook('onClose', () => registry.close())
 *
 * const address = await app.listen({ port: 0 })
 * const modules = await fetch(`${address}/modules/v1/modules`)
 * modules.status // 200
 * await app.close()
 * ```
 */
export async function fastifyPlinth(app: FastifyScope, options: FastifyPlinthOptions): Promise<void> {
  checkOptions<FastifyPlinthOptions>('fastifyPlinth', options, {
    fetch: true,
    prefix: true,
    logLevel: true,
    onError: true,
    bodyTimeoutMs: true,
    answerTimeoutMs: true,
  })
  const depth = app.prefix.split('/').length
  const listener = listenerAt(options.fetch, options, (message) => segments(message, depth))
  for (const server of [app.server, ...laterServers(app)]) routeAnyMethod(server, app.prefix)
  app.addHook('onListen', (done) => {
    for (const server of laterServers(app)) routeAnyMethod(server, app.prefix)
    done()
  })
  // The service reads bodies itself.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  const answer = ({ raw }: FastifyMessage, reply: FastifyMessage): void => {
    const message = raw as IncomingMessage
    message.method = disguised.get(message) ?? message.method ?? 'GET'
    reply.hijack?.()
    listener(message, reply.raw as ServerResponse)
  }
  app.all('/*', answer)
  if (app.prefix !== '') app.all('/', answer)
}

const segments = ({ url = '/' }: IncomingMessage, depth: number): string =>
  (url.split('?', 1)[0] ?? '').split('/', depth).join('/')

/** The methods of requests that Fastify's router sees as `GET`. */
const disguised = new WeakMap<IncomingMessage, string>()

/** The prefixes of each server below which any method is routed. */
const prefixes = new WeakMap<object, Set<string>>()

/** Lets a server accept methods that neither Node's parser nor Fastify's router knows, below a prefix. */
function routeAnyMethod(server: object, prefix: string): void {
  const known = prefixes.get(server)
  if (known !== undefined) return void known.add(prefix)
  const own = new Set([prefix])
  prefixes.set(server, own)
  const emitter = server as HttpServer
  emitter.prependListener('request', (message) => {
    const { method = 'GET', url = '/' } = message
    if (METHODS.includes(method) || ![...own].some((each) => url === each || url.startsWith(`${each}/`)))
      return
    disguised.set(message, method)
    message.method = 'GET'
  })
  // Its listener runs before the one above. HTTP/2 has no list of methods.
  if (server instanceof HttpServer || server instanceof HttpsServer) acceptAnyMethod(server)
  closeSilent(emitter)
}

/** The servers that Fastify creates for the other addresses of `localhost`, once it listens. */
function laterServers(app: FastifyScope): readonly object[] {
  for (let at: object | null = app; at !== null; at = Object.getPrototypeOf(at)) {
    const key = Object.getOwnPropertySymbols(at).find(
      ({ description }) => description === 'fastify.serverBindings',
    )
    const found: unknown = key && Reflect.get(app, key)
    if (Array.isArray(found)) return found
  }
  return []
}
