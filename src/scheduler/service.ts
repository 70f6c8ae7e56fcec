import { bearerOf } from '../http/bearer.ts'
import { toAnswered } from '../http/fetch.ts'
import {
  defineService,
  type Exchange,
  type OpenApiDocument,
  plainText,
  type ServiceFetch,
  words as wordsOf,
} from '../http/index.ts'
import { checkChoice } from '../kernel/check-choice.ts'
import { checkFunctions } from '../kernel/check-functions.ts'
import { checkOptions } from '../kernel/check-options.ts'
import { type Refused, refuse, systemEnv } from '../kernel/index.ts'
import { inputProblem, type Takes } from '../operation/arguments.ts'
import { memoryStore, StoreError } from '../store/index.ts'
import { checkStore } from '../store/port/check-store.ts'
import { type Loaded, loadRecords } from './load/load.ts'
import type { RouteContext, SchedulerRoute } from './routes/context.ts'
import { schedulerRoutes } from './routes/routes.ts'
import { checkTimes } from './service/check-times.ts'
import { deferredMethods } from './service/deferred-methods.ts'
import type { Methods } from './service/methods.ts'
import { openCluster } from './service/open-cluster.ts'
import { type SchedulerOptions, schedulerOptions } from './service/options.ts'
import { compatStatus, type SchedulerRefusal, specStatus } from './service/status-of.ts'
import { jsonEncoder } from './wire/json-encoder.ts'

/**
 * A job scheduler: typed methods, and the same over HTTP.
 *
 * @public
 */
export interface Scheduler extends Methods {
  /** Answers a request; never rejects. */
  readonly fetch: ServiceFetch
  /** The route table. */
  readonly routes: readonly SchedulerRoute[]
  /** The OpenAPI 3.1 document of the table. */
  readonly openapi: () => OpenApiDocument
  /** The table as text. */
  readonly help: (prefix?: string) => string
  /**
   * Fills an empty scheduler with records in wire form; all of them or, where one is bad, none. With `dryRun` it answers
   * what it would answer, and stores nothing.
   */
  readonly load: (
    records: unknown,
    options?: { readonly dryRun?: boolean | undefined },
  ) => Promise<Loaded | Refused<'bad_record' | 'not_empty'>>
  /** Resolves once no evaluation is left that could be worked off now; at once without `place`. */
  readonly settled: () => Promise<void>
  /** How many blocking queries wait. */
  readonly waiting: () => number
  /** Answers every blocking query with what there is; none waits from now on. For a server that shuts down. */
  readonly drain: () => void
  /** Drains and lets go of the store, which stays open. */
  readonly close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Makes a job scheduler on a store.
 *
 * @remarks
 * Nothing is read before the first call. Blocking queries, filters, pages and access control are the same for
 * methods and requests.
 *
 * @throws TypeError that names an option which it does not have
 *
 * @example
 * ```ts
 * import { createScheduler } from 'plinth/scheduler'
 * import { memoryStore } from 'plinth/store'
 *
 * const scheduler = createScheduler({ store: memoryStore() })
 * await scheduler.upsertPool({ Name: 'gpu', Description: 'Cards' })
 * const pools = await scheduler.listPools({ filter: 'Description contains "Card"' })
 * pools.ok && pools.value.map(({ Name }) => Name) // ['gpu']
 *
 * const response = await scheduler.fetch(new Request('http://localhost/v1/node/pools?prefix=g'))
 * response.headers.get('X-Scheduler-Index') // '2'
 * await scheduler.close()
 * ```
 *
 * @public
 */
export function createScheduler(options: SchedulerOptions = {}): Scheduler {
  checkOptions('createScheduler', options, schedulerOptions)
  checkStore(options.store)
  checkFunctions(options, ['env', 'forward', 'onEvent', 'onRequest', 'onError'])
  checkChoice('errors', options.errors, ['spec', 'compat'])
  const { store = memoryStore(), env = systemEnv, region = 'global' } = options
  checkTimes(options)
  const words = wordsOf(options.words ?? ['Scheduler'])
  const open = () => openCluster({ ...options, store }, words)
  let opening: ReturnType<typeof open> | undefined
  let current: Awaited<ReturnType<typeof open>> | undefined
  let closed = false
  const methods = async (): Promise<Methods> => {
    if (closed) throw new StoreError('closed', 'the scheduler was closed')
    opening ??= open()
    try {
      current = await opening
      return current.methods
    } catch (error) {
      // A store that could not be reached is tried again by the next call.
      opening = undefined
      throw error
    }
  }

  const forwarded = async (named: string, exchange: Exchange) => {
    const answer = await options.forward?.(named, exchange.request())
    return answer === undefined ? refuse('unknown_region', 'No path to region') : toAnswered(answer)
  }
  const service = defineService<RouteContext, SchedulerRefusal>({
    name: 'scheduler',
    about: 'A job scheduler: node pools, nodes, jobs, deployments, allocations and evaluations.',
    routes: schedulerRoutes,
    statusOf: options.errors === 'compat' ? compatStatus : specStatus,
    dialect: plainText,
    words,
    credentials: {
      schemes: {
        header: { type: 'apiKey', in: 'header', name: `X-${words.canonical}-Token` },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      // Without access control nobody needs a token.
      asked: ({ access }) => (access === undefined ? 'never' : options.acl ? 'always' : 'sometimes'),
    },
    texts: { no_route: '', method_not_allowed: 'Invalid method' },
    maxBufferedBytes: options.maxBufferedBytes,
    gzip: 'always',
    encode: jsonEncoder(),
    newId: () => env().newId('error'),
    onError: options.onError,
    onRequest: options.onRequest,
    callerOf: ({ token }) => current?.callerOf(token),
    now: () => env().now,
    first: (exchange) => {
      const named = exchange.query()['region']
      return named === undefined || named === '' || named === region ? undefined : forwarded(named, exchange)
    },
    context: async (exchange) => ({
      compat: options.errors === 'compat',
      scheduler: current?.methods ?? (await methods()),
      words,
      token: words.read(exchange, 'Token')?.trim() || bearerOf(exchange),
    }),
  })

  const letGo = async () => {
    const parts = await opening?.catch(() => undefined)
    opening = undefined
    current = undefined
    parts?.polls.drain()
    await parts?.watch.close()
    await parts?.collects?.close()
    await parts?.work?.close()
    parts?.hub.close()
    parts?.tables.close()
    await parts?.view.close()
  }
  const close = () => {
    closed = true
    return letGo()
  }
  /** A method that says what is wrong with its arguments, and opens the store first. */
  const deferred = <Name extends keyof Methods>(name: Name, takes: Takes): Methods[Name] => {
    type Method = (...args: readonly unknown[]) => unknown
    const call = (...args: readonly unknown[]) => {
      const problem = inputProblem(takes, args)
      if (problem !== undefined) return Promise.reject(new TypeError(`${name}: ${problem}`))
      return current
        ? (current.methods[name] as Method)(...args)
        : methods().then((opened) => (opened[name] as Method)(...args))
    }
    // The method itself, once there is one: same arguments, same promise.
    return call as unknown as Methods[Name]
  }

  return {
    ...deferredMethods(deferred),
    fetch: service.fetch,
    routes: schedulerRoutes,
    openapi: service.openapi,
    help: service.help,
    load: async (records, { dryRun = false } = {}) => {
      const loaded = await loadRecords(store, records, { env: env(), region, dryRun })
      // An import is no commit that anyone hears of: whoever looked at the empty cluster looks anew.
      if (loaded.ok && !dryRun) await letGo()
      return loaded
    },
    settled: async () => {
      await methods()
      await current?.collects?.settled()
      await current?.watch.settled()
      await current?.work?.settled()
      await current?.watch.settled()
      await current?.work?.settled()
    },
    waiting: () => current?.polls.waiting() ?? 0,
    drain: () => current?.polls.drain(),
    close,
    [Symbol.asyncDispose]: close,
  }
}
