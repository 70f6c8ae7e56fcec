import { baseUrlOf } from '../http/base-url.ts'
import { bearerOf } from '../http/bearer.ts'
import {
  defineService,
  type ErrorDialect,
  errorsArray,
  type HttpService,
  matcher,
  type RefusalsOf,
  words as wordsOf,
} from '../http/index.ts'
import { type Env, type Refusal, refuse } from '../kernel/index.ts'
import type { RegistryContext } from './context.ts'
import type { RegistryOptions } from './options.ts'
import { tidyPath } from './paths.ts'
import { registryRoutes } from './routes.ts'
import { versionListEncoder } from './version-list-encoder.ts'

/** Puts a registry's methods on HTTP. */
export function registryHttp(
  registry: RegistryContext['registry'],
  options: RegistryOptions,
  env: () => Env,
): HttpService<RegistryContext> {
  const { authenticate, turnAway } = options
  const words = wordsOf(options.words ?? ['Registry'])
  const baseUrl = baseUrlOf(options.baseUrl)
  const spellVersions = versionListEncoder()
  const table = matcher(registryRoutes)
  return defineService<RegistryContext, RefusalsOf<typeof registryRoutes> | 'unauthorized' | 'turned_away'>({
    name: 'registry',
    about: 'Lists, searches and resolves modules by namespace, name and provider.',
    routes: registryRoutes,
    words,
    credentials: authenticate && {
      schemes: { bearer: { type: 'http', scheme: 'bearer' } },
      asked: ({ access }) => (access === 'none' ? 'never' : 'always'),
      refusals: ['unauthorized'],
    },
    statusOf: {
      module_not_found: 404,
      version_not_found: 404,
      module_moved: 301,
      query_required: 400,
      unauthorized: 401,
      turned_away: 503,
    },
    dialect: notFoundFirst,
    gzip: true,
    resolve: ({ method, path }) => table(method, tidyPath(path)),
    first: (exchange) => {
      const seconds = turnAway?.(exchange)
      if (seconds === undefined) return undefined
      const wait = String(Math.max(1, Math.ceil(seconds)))
      return refuse('turned_away', `the registry takes no requests right now: try again in ${wait} s`, {
        headers: { 'retry-after': wait },
      })
    },
    context: async (exchange, { route }) => {
      const reader = route.access === 'none' || !authenticate ? {} : await authenticate(bearerOf(exchange))
      if (!reader) return unauthorized
      const base = baseUrl ?? exchange.basePath
      return { registry, reader, words, base, spellVersions, downloadBody: options.download === 'both' }
    },
    finish: ({ headers }) => {
      const { location } = headers
      if (baseUrl !== undefined && typeof location === 'string' && location.startsWith('/'))
        headers['location'] = baseUrl + location
    },
    newId: () => env().newId('error'),
    onError: options.onError,
    onRequest: options.onRequest,
    callerOf: ({ reader }) => reader.name,
    now: () => env().now,
  })
}

const unauthorized = refuse(
  'unauthorized',
  'this registry is private: send a valid token as Authorization: Bearer',
  { headers: { 'www-authenticate': 'Bearer' } },
)

/** What clients of such registries know a 404 by comes first; what exactly is missing follows. */
const notFoundFirst: ErrorDialect = Object.assign(
  (refusal: Refusal, status: number) =>
    errorsArray(
      status === 404 ? { ...refusal, detail: { errors: ['Not Found', refusal.message] } } : refusal,
      status,
    ),
  { schema: errorsArray.schema },
)
