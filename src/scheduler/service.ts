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
import { jsonLimits } from '../http/json-limits.ts'
import { requestHead } from '../http/request-head.ts'
import { moreWords } from '../http/words.ts'
import { checkChoice } from '../kernel/check-choice.ts'
import { checkFunctions } from '../kernel/check-functions.ts'
import { checkOptions } from '../kernel/check-options.ts'
import { type Refused, refuse, systemTimers } from '../kernel/index.ts'
import { steadyEnv } from '../kernel/system-env.ts'
import { bindOpening, checkedMethods, type MethodsOf } from '../operation/operation.ts'
import { timeLimited } from '../store/decorators/time-limited.ts'
import { memoryStore, StoreError } from '../store/index.ts'
import { checkStore } from '../store/port/check-store.ts'
import type { Access } from './acl/access.ts'
import { type Loaded, loadRecords } from './load/load.ts'
import { operations, type SchedulerOperations } from './operations/operations.ts'
import type { RouteContext, SchedulerRoute } from './routes/context.ts'
import { schedulerRoutes } from './routes/routes.ts'
import { permissionDenied } from './service/authenticate.ts'
import { checkTimes } from './service/check-times.ts'
import { enter } from './service/enter.ts'
import { lentTokens } from './service/lent-tokens.ts'
import { openCluster } from './service/open-cluster.ts'
import { opener } from './service/opener.ts'
import { isGuarded, type SchedulerOptions, schedulerOptions } from './service/options.ts'
import { compatStatus, type SchedulerRefusal, specStatus } from './service/status-of.ts'
import { jsonEncoder } from './wire/json-encoder.ts'

/**
 * A job scheduler: typed methods, and the same over HTTP.
 */
export interface Scheduler extends MethodsOf<SchedulerOperations> {
  /**
   * Answers a request; never rejects.
   *
   * @example await scheduler.fetch(new Request('http://localhost/v1/jobs'))
   */
  readonly fetch: ServiceFetch
  /**
   * The route table.
   *
   * @example scheduler.routes.map(({ methods, path }) => `${methods} ${path}`)
   */
  readonly routes: readonly SchedulerRoute[]
  /**
   * The OpenAPI 3.1 document of the table.
   *
   * @example JSON.stringify(scheduler.openapi())
   */
  readonly openapi: () => OpenApiDocument
  /**
   * The table as text.
   *
   * @example console.log(scheduler.help('/v1/job'))
   */
  readonly help: (prefix?: string) => string
  /**
   * Fills an empty scheduler with records in wire form; all of them or, if one is invalid, none. `dryRun` returns the
   * same and stores nothing.
   *
   * @example await createScheduler().load({ jobs: [{ ID: 'web' }] }, { dryRun: true })
   */
  readonly load: (
    records: unknown,
    options?: { readonly dryRun?: boolean | undefined },
  ) => Promise<Loaded | Refused<'bad_record' | 'not_empty'>>
  /**
   * Reads the store and starts the background work, which the first call does otherwise: launches of periodic jobs,
   * missed ones included, deadlines, drains, lost nodes, placement and collection. Call it when a server starts, because
   * nobody may call the scheduler for hours.
   *
   * @example await scheduler.open()
   */
  readonly open: () => Promise<void>
  /**
   * Resolves once no evaluation is pending that could be processed now; immediately without `place`. It does not wait for
   * the retries of work that failed because the store did: `onError` was told.
   *
   * @example await scheduler.settled()
   */
  readonly settled: () => Promise<void>
  /**
   * How many blocking queries wait.
   *
   * @example scheduler.waiting() // 0
   */
  readonly waiting: () => number
  /**
   * Answers every blocking query with the current state, and ends every event stream; no call waits from now on. For a
   * server that shuts down.
   *
   * @example scheduler.drain()
   */
  readonly drain: () => void
  /**
   * Finishes pending work and releases the store, which stays open.
   *
   * @example await scheduler.close()
   */
  readonly close: () => Promise<void>
  /**
   * The same as `close`, for `await using`.
   *
   * @example await using server = scheduler
   */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** The maximum body size, in bytes, of an endpoint without a body or without a required right. */
const smallBody = 64 * 1024

/** Objects of more names take microseconds for each to read and to compare, and no job has one. */
const mostInOne = 30_000

/**
 * Creates a job scheduler on a store.
 *
 * @remarks
 * Nothing is read, and no background work runs, before the first call; `open` starts without one. Blocking queries,
 * filters, pages and access control are the same for methods and requests.
 *
 * @throws TypeError that names an unknown option
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
 */
export function createScheduler(options: SchedulerOptions = {}): Scheduler {
  checkOptions('createScheduler', options, schedulerOptions)
  checkStore(options.store)
  checkFunctions(options, ['env', 'authenticate', 'forward', 'onEvent', 'onRequest', 'onError'])
  checkChoice('errors', options.errors, ['spec', 'compat'])
  checkChoice('namespaces', options.namespaces, ['managed', 'open'])
  const { env = steadyEnv(), region = 'global', timers = systemTimers } = options
  checkTimes(options)
  const { store, closing } = timeLimited(options.store ?? memoryStore(), options.storeTimeoutMs)
  const words = wordsOf(['Scheduler', 'Nomad', ...moreWords(options.words)])
  const lent = lentTokens(env)
  let closed = false
  const cluster = opener(() => {
    if (closed) throw new StoreError('closed', 'the scheduler was closed')
    return openCluster({ ...options, store, env }, words, lent)
  })
  const openedCluster = () => {
    const opened = cluster.open()
    return opened instanceof Promise ? opened.then((each) => each.cluster) : opened.cluster
  }
  const methods = bindOpening(operations, openedCluster)

  const guarded = isGuarded(options)
  const forwarded = async (named: string, exchange: Exchange) => {
    const answer = await options.forward?.(named, exchange.request())
    return answer === undefined ? refuse('unknown_region', 'No path to region') : toAnswered(answer)
  }
  const service = defineService<RouteContext, SchedulerRefusal>({
    name: 'scheduler',
    about: 'A job scheduler: node pools, nodes, jobs, deployments, allocations and evaluations.',
    page: { title: 'Scheduler', api: '/v1/', consoleUrl: options.consoleUrl },
    routes: schedulerRoutes,
    statusOf: options.errors === 'compat' ? compatStatus : specStatus,
    dialect: plainText,
    words,
    decisiveHeaders: ['Token'],
    credentials: {
      schemes: {
        header: { type: 'apiKey', in: 'header', name: `X-${words.canonical}-Token` },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      // Without access control no token is needed.
      asked: ({ access }) => (access === undefined ? 'never' : options.acl ? 'always' : 'sometimes'),
    },
    texts: { no_route: '', method_not_allowed: 'Invalid method' },
    jsonLimits: { all: jsonLimits.all, each: mostInOne },
    maxBufferedBytes: options.maxBufferedBytes,
    gzip: 'always',
    encode: jsonEncoder(),
    newId: () => env().newId('error'),
    onError: options.onError,
    onRequest: options.onRequest,
    callerOf: ({ token }) => cluster.current()?.callerOf(token),
    now: () => env().now,
    first: (exchange) => {
      const named = exchange.query()['region']
      return named === undefined || named === '' || named === region ? undefined : forwarded(named, exchange)
    },
    context: async (exchange) => {
      const rights = await options.authenticate?.(requestHead(exchange))
      const token = rights
        ? lent.tokenOf(rights)
        : words.read(exchange, 'Token')?.trim() || bearerOf(exchange)
      return {
        compat: options.errors === 'compat',
        cluster: openedCluster,
        words,
        timers,
        token,
        judge: guarded ? (allows) => judged(token, allows) : undefined,
      }
    },
    bodyLimit: ({ accepts, access }) =>
      accepts === undefined || access === undefined ? smallBody : undefined,
  })

  const judged = async (token: string | undefined, allows: (access: Access) => boolean) => {
    const { cluster: parts } = await cluster.open()
    return enter(parts, { token }, ({ access }) => (allows(access) ? undefined : permissionDenied()))
  }
  const close = () => {
    closed = true
    return closing(async () => void (await cluster.release()))
  }

  return {
    ...checkedMethods(operations, methods),
    fetch: service.fetch,
    routes: schedulerRoutes,
    openapi: service.openapi,
    help: service.help,
    open: async () => void (await cluster.open()),
    load: async (records, { dryRun = false } = {}) => {
      const loaded = await loadRecords(store, records, { env: env(), region, dryRun })
      // An import is not announced as commits: readers of the empty cluster read again.
      if (loaded.ok && !dryRun && (await cluster.release()) && !closed) await cluster.open()
      return loaded
    },
    settled: async () => (await cluster.open()).settled(),
    waiting: () => cluster.current()?.cluster.polls.waiting() ?? 0,
    drain: () => cluster.current()?.drain(),
    close,
    [Symbol.asyncDispose]: close,
  }
}
