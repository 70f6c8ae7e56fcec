import { bearerOf } from '../http/bearer.ts'
import {
  defineService,
  type ErrorDialect,
  errorsArray,
  matcher,
  type OpenApiDocument,
  type Route,
  words as wordsOf,
} from '../http/index.ts'
import { announcer } from '../kernel/announcer.ts'
import { hourly } from '../kernel/hourly.ts'
import { type Env, refuse, systemEnv, systemTimers, type Timers } from '../kernel/index.ts'
import { memoryStore, type Replica, replica, type Store, StoreError } from '../store/index.ts'
import { counting } from './counting.ts'
import { type Follower, follow } from './follow.ts'
import type { RegistryEvent } from './modules/events.ts'
import { tidyPath } from './paths.ts'
import { type Reader, type RegistryDownloads, type RegistryReads, reading } from './reading.ts'
import { held } from './records.ts'
import { type RegistryContext, type RegistryRefusal, registryRoutes } from './routes.ts'
import { versionSpeller } from './version-texts.ts'
import { type RegistryWrites, writing } from './writing.ts'

/**
 * What a registry is made of.
 *
 * @public
 */
export interface RegistryOptions {
  /** Where its records live, one registry per store; a fresh memory store when left out. */
  readonly store?: Store | undefined
  /** Where commands get their time and identifiers from; the system's when left out. */
  readonly env?: (() => Env) | undefined
  /** How it waits between attempts to follow its store; the host's timers when left out. */
  readonly timers?: Timers | undefined
  /** The word in its get header, and others that clients look for: `['Registry', 'Acme']`. */
  readonly words?: readonly [string, ...string[]] | undefined
  /**
   * Makes the registry private: says who a bearer token belongs to, or `undefined` for nobody, which is answered
   * with 401. Discovery stays open. Off when left out.
   */
  readonly authenticate?:
    | ((token: string | undefined) => Reader | undefined | Promise<Reader | undefined>)
    | undefined
  /**
   * Asked before each request: a number of seconds turns it away with 503 and `Retry-After`, `undefined` lets it pass.
   * For maintenance, and to shed load.
   */
  readonly turnAway?: ((request: Request) => number | undefined) | undefined
  /**
   * What a download answers: `header`, the protocol's 204 with a header; `both` adds 200 and a JSON body that says the
   * same, which some clients prefer.
   */
  readonly download?: 'header' | 'both' | undefined
  /** Hears of everything that happened, once it is stored. */
  readonly onEvent?: ((event: RegistryEvent) => void) | undefined
  /** Hears of unforeseen errors; `id` is the reference that the caller was given, where there was one. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

/**
 * A module registry: its methods, and its HTTP interface as a fetch handler.
 *
 * @remarks
 * Methods answer `{ ok: true, value }` or a refusal; `unwrap` turns the latter into an exception. A reader limits what
 * a method sees to some namespaces; without one it sees everything.
 *
 * @public
 */
export interface Registry extends RegistryReads, RegistryDownloads, RegistryWrites {
  /** Answers a request; never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /** The route table. */
  readonly routes: readonly Route<RegistryContext>[]
  /** The OpenAPI 3.1 document of the table. */
  readonly openapi: () => OpenApiDocument
  /** Stores what is still to be counted and lets go of the store, which stays open. */
  readonly close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Makes a module registry on a store.
 *
 * @remarks
 * Modules are published by method or loaded as records; HTTP reads.
 *
 * @example
 * ```ts
 * import { createRegistry } from 'plinth/registry'
 * import { memoryStore } from 'plinth/store'
 *
 * const registry = createRegistry({ store: memoryStore() })
 * const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
 * await registry.publishModule({ ...vpc, description: 'A private network' })
 * await registry.publishVersion(vpc, { version: 'v1.2', source: 'https://example.com/vpc-1.2.zip' })
 *
 * const download = await registry.fetch(new Request('http://localhost/v1/modules/acme/vpc/aws/1.2.0/download'))
 * download.status // 204
 * download.headers.get('X-Registry-Get') // 'https://example.com/vpc-1.2.zip'
 * await registry.close()
 * ```
 *
 * @public
 */
export function createRegistry(options: RegistryOptions = {}): Registry {
  const { store = memoryStore(), env = systemEnv, timers = systemTimers, authenticate, turnAway } = options
  const report = (error: unknown) => options.onError?.(error)

  let follower: Follower | undefined
  let opening: Promise<{ readonly view: Replica; readonly follower: Follower }> | undefined
  let closed = false
  const open = async () => {
    if (closed) throw new StoreError('closed', 'the registry was closed')
    opening ??= replica(store, held, { timers, onError: report }).then(
      (view) => {
        follower = follow(view)
        return { view, follower }
      },
      (error: unknown) => {
        // A store that cannot be reached is asked again by the next caller.
        opening = undefined
        throw error
      },
    )
    return opening
  }
  const view = async () => (await open()).view
  const tally = counting({
    view,
    env,
    whereIs: (moduleId) => follower?.present().whereIs(moduleId),
    onError: report,
  })
  const reads = reading({ open, tally, now: () => env().now })
  const writes = writing({ store, view, env, announce: announcer(options.onEvent, report), onError: report })
  const endSweeps = hourly(timers, writes.sweep, report)

  const download: Registry['download'] = async (address, version, reader) => {
    const found = await reads.locateVersion(address, version, reader)
    if (found.ok) tally.count(found.value.moduleId)
    return found
  }
  const close = async (): Promise<void> => {
    // Nothing is open where the store could not be read.
    const opened = await opening?.catch(() => undefined)
    await tally.settled()
    closed = true
    endSweeps()
    opened?.follower.close()
    await opened?.view.close()
  }

  const words = wordsOf(options.words ?? ['Registry'])
  const spellVersions = versionSpeller()
  const table = matcher(registryRoutes)
  const service = defineService<RegistryContext, RegistryRefusal | 'unauthorized' | 'turned_away'>({
    name: 'registry',
    about: 'Lists, searches and resolves modules by namespace, name and provider.',
    routes: registryRoutes,
    statusOf: {
      module_not_found: 404,
      version_not_found: 404,
      module_moved: 301,
      query_required: 400,
      unauthorized: 401,
      turned_away: 503,
    },
    dialect: notFoundFirst,
    resolve: (method, url) => table(method, tidyPath(url.pathname)),
    first: (request) => {
      const seconds = turnAway?.(request)
      if (seconds === undefined) return undefined
      const headers = { 'retry-after': String(Math.max(1, Math.ceil(seconds))) }
      return refuse(
        'turned_away',
        `the registry takes no requests right now: try again in ${headers['retry-after']} s`,
        {
          headers,
        },
      )
    },
    context: async (request, { route }) => {
      const reader =
        route.access === 'none' || !authenticate ? {} : await authenticate(bearerOf(request.headers))
      if (!reader)
        return refuse(
          'unauthorized',
          'this registry is private: send a valid token as Authorization: Bearer',
          {
            headers: { 'www-authenticate': 'Bearer' },
          },
        )
      return { registry, reader, words, spellVersions, downloadBody: options.download === 'both' }
    },
    newId: () => env().newId('error'),
    onError: options.onError,
  })

  const registry: Registry = {
    ...reads,
    ...writes,
    download,
    fetch: service.fetch,
    routes: service.routes,
    openapi: service.openapi,
    close,
    [Symbol.asyncDispose]: close,
  }
  return registry
}

/** What clients of such registries know a 404 by comes first; what exactly is missing follows. */
const notFoundFirst: ErrorDialect = (refusal, status) =>
  errorsArray(
    status === 404 ? { ...refusal, detail: { errors: ['Not Found', refusal.message] } } : refusal,
    status,
  )
