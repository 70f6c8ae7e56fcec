import { type Exchange, noContent, type Reply, raw, redirect, reply, route } from '../http/index.ts'
import { type Answer, type Refused, refuse } from '../kernel/index.ts'
import type { RegistryContext } from './context.ts'
import { readOperations } from './operations/reads.ts'
import { ListQuery, page, SearchQuery, WindowQuery } from './pages.ts'
import { bases, forward } from './paths.ts'
import {
  Discovery,
  DownloadsDocument,
  Location,
  ModuleDetail,
  ModulePage,
  toDetail,
  toDownloads,
  VersionList,
} from './wire.ts'

/** A longer query says nothing more and costs every module. */
const longestQuery = 1024

const define = route<RegistryContext>()

/** What was found, or the way to it where its module has moved. */
const answered = <Value, Code extends string>(
  answer: Answer<Value, Code | 'module_moved'>,
  exchange: Exchange,
  told: (value: Value) => Reply,
): Reply | Refused<Code | 'module_moved'> => (answer.ok ? told(answer.value) : forward(answer, exchange))

/** The endpoints of the registry and its discovery documents. */
export const registryRoutes = [
  define({
    id: 'registry.discover',
    method: 'GET',
    path: '/.well-known/registry.json',
    summary: 'Say where the services of this host are',
    access: 'none',
    reply: Discovery,
    handle: ({ context }) => reply(discoveryBelow(context.base)),
  }),
  define({
    id: 'registry.discoverAsTerraform',
    method: 'GET',
    path: '/.well-known/terraform.json',
    summary: 'Say where the services of this host are, at the path that module clients ask',
    access: 'none',
    reply: Discovery,
    handle: ({ context }) => reply(discoveryBelow(context.base)),
  }),
  define({
    id: 'registry.list',
    method: 'GET',
    path: bases.v1,
    summary: 'List modules in order of namespace, name and provider',
    query: ListQuery,
    reply: ModulePage,
    handle: (call) => page(call, (asked) => call.context.registry.list(asked, call.context.reader)),
  }),
  define({
    id: 'registry.search',
    method: 'GET',
    path: `${bases.v1}/search`,
    summary: 'Search modules, best first',
    description:
      'Every term of `q` must appear in the name, namespace, provider, owner or description, whole or in part; a term with separators is a run of words. Points per word and text add up; among equals partner modules come first, then the more downloaded, then the address.',
    query: SearchQuery,
    reply: ModulePage,
    refusals: ['query_required'],
    handle: (call) => {
      const { context, query } = call
      const q = query.q ?? ''
      if (q.trim() === '')
        return refuse('query_required', 'Query string must be specified: add q with the words to search for')
      if (q.length > longestQuery)
        return refuse(
          'query_required',
          `Query string must be specified in at most ${longestQuery} characters`,
        )
      return page(call, (asked) => context.registry.search(q, asked, context.reader))
    },
  }),
  define({
    id: 'registry.listNamespace',
    method: 'GET',
    path: `${bases.v1}/:namespace`,
    summary: 'List the modules of one namespace',
    query: ListQuery,
    reply: ModulePage,
    handle: (call) => {
      const { context, params } = call
      return page(call, (asked) => context.registry.list({ ...asked, ...params }, context.reader))
    },
  }),
  define({
    id: 'registry.listProviders',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name`,
    summary: 'List the latest version of a module for each provider',
    query: WindowQuery,
    reply: ModulePage,
    runs: [readOperations.listProviders],
    handle: async (call) => {
      const { context, params, exchange } = call
      const found = await context.registry.listProviders(params, context.reader)
      if (!found.ok) return forward(found, exchange)
      const { value: all } = found
      return page(call, ({ offset, limit }) => ({
        rows: all.slice(offset, offset + limit),
        total: all.length,
      }))
    },
  }),
  define({
    id: 'registry.readLatest',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider`,
    summary: 'Read a module at its latest version',
    reply: ModuleDetail,
    runs: [readOperations.readModule],
    handle: async ({ context, params, exchange }) =>
      answered(await context.registry.readModule(params, undefined, context.reader), exchange, (found) =>
        reply(toDetail(found)),
      ),
  }),
  define({
    id: 'registry.listVersions',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/versions`,
    summary: 'List the versions of a module, oldest first, with what each needs',
    reply: VersionList,
    runs: [readOperations.listVersions],
    handle: async ({ context, params, exchange }) =>
      answered(await context.registry.listVersions(params, context.reader), exchange, (listed) =>
        raw(context.spellVersions(listed), 'application/json'),
      ),
  }),
  define({
    id: 'registry.downloadLatest',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/download`,
    summary: 'Go to the download of the latest version',
    success: 302,
    runs: [readOperations.readModule],
    handle: async ({ context, params, exchange }) =>
      answered(await context.registry.readModule(params, undefined, context.reader), exchange, ({ row }) => {
        const { namespace, name, provider, version } = row
        return redirect(302, `${bases.v1}/${namespace}/${name}/${provider}/${version}/download`)
      }),
  }),
  define({
    id: 'registry.readVersion',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/:version`,
    summary: 'Read a module at one version',
    reply: ModuleDetail,
    runs: [readOperations.readModule],
    handle: async ({ context, params, exchange }) =>
      answered(await context.registry.readModule(params, params.version, context.reader), exchange, (found) =>
        reply(toDetail(found)),
      ),
  }),
  define({
    id: 'registry.download',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/:version/download`,
    summary: 'Say where a version is fetched from, and count the download',
    description:
      'The location is in the `X-Registry-Get` header: downloader syntax, a URL, or a URL relative to this endpoint.',
    success: 204,
    emits: { Get: 'where the version is fetched from' },
    also: {
      200: { description: 'the location in a body, too, where the registry is set up so', reply: Location },
    },
    runs: [readOperations.download],
    handle: async ({ context, params, exchange }) => {
      const { registry, reader, words, downloadBody } = context
      const find = exchange.method === 'HEAD' ? registry.locateVersion : registry.download
      return answered(await find(params, params.version, reader), exchange, ({ source }) => {
        const headers = words.emit({ Get: source })
        return downloadBody ? reply({ location: source }, { headers }) : noContent(headers)
      })
    },
  }),
  define({
    id: 'registry.downloadsSummary',
    method: 'GET',
    path: `${bases.v2}/:namespace/:name/:provider/downloads/summary`,
    summary: 'Sum up the downloads of a module',
    reply: DownloadsDocument,
    runs: [readOperations.downloads],
    handle: async ({ context, params, exchange }) =>
      answered(await context.registry.downloads(params, context.reader), exchange, ({ row, summary }) =>
        reply(toDownloads(row, summary)),
      ),
  }),
]

/** Service identifier → base address; each ends in a slash. */
const discoveryBelow = (base: string) => ({
  'modules.v1': `${base}${bases.v1}/`,
  'modules.v2': `${base}${bases.v2}/`,
})
