import { type Exchange, noContent, raw, redirect, reply } from '../http/index.ts'
import { refuse } from '../kernel/index.ts'
import { archiveRoutes } from './archive-routes.ts'
import type { RegistryContext } from './context.ts'
import { access, answered, define } from './define-route.ts'
import { readOperations } from './operations/reads.ts'
import { ListQuery, page, SearchQuery, WindowQuery } from './pages.ts'
import { bases, forward } from './paths.ts'
import { tokenRoutes } from './token-routes.ts'
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

/** Whether a caller accepts JSON explicitly, and not just anything. */
const wantsJson = (exchange: Exchange): boolean => {
  const accepted = exchange.header('accept') ?? ''
  return /\bapplication\/json\b/i.test(accepted) && !accepted.includes('*/*')
}

/** A longer query adds no information and costs time for every module. */
const longestQuery = 1024

export { access }

/** The endpoints of the registry and its discovery documents. */
export const registryRoutes = [
  define({
    id: 'registry.discover',
    method: 'GET',
    path: '/.well-known/registry.json',
    summary: 'Discover the services of this host',
    access: access.none,
    reply: Discovery,
    handle: ({ context }) => reply(discoveryOf(context)),
  }),
  define({
    id: 'registry.discoverAsTerraform',
    method: 'GET',
    path: '/.well-known/terraform.json',
    summary: 'Discover the services of this host, at the path that module clients request',
    access: access.none,
    reply: Discovery,
    handle: ({ context }) => reply(discoveryOf(context)),
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
    summary: 'Search modules, best match first',
    description:
      'Every term of `q` must appear in the name, namespace, provider, owner or description, whole or in part; a term with separators is a run of words. Points for each word and field add up; among equals, partner modules come first, then the number of downloads, then the address.',
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
    summary: 'List the versions of a module, oldest first, with their dependencies',
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
    summary: 'Redirect to the download of the latest version',
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
    summary: 'Read the download location of a version, and count the download',
    description:
      'The location is in the `X-Registry-Get` header: downloader syntax, a URL, or a URL relative to this endpoint.',
    success: 204,
    emits: { Get: 'the download location' },
    also: {
      200: {
        description: 'the location in a JSON body, for clients that accept only JSON',
        reply: Location,
      },
    },
    runs: [readOperations.download],
    handle: async ({ context, params, exchange }) => {
      const { registry, reader, words, downloadBody, tickets } = context
      const find = exchange.method === 'HEAD' ? registry.locateVersion : registry.download
      const found = await find(params, params.version, reader)
      if (!found.ok) return forward(found, exchange)
      const { source, archive } = found.value
      // Clients send no token to download URLs.
      const ticket = archive && (await tickets?.make(archive.blob))
      const location = ticket === undefined ? source : `${source}&ticket=${ticket}`
      const headers = words.emit({ Get: location })
      return downloadBody || wantsJson(exchange) ? reply({ location }, { headers }) : noContent(headers)
    },
  }),
  define({
    id: 'registry.downloadsSummary',
    method: 'GET',
    path: `${bases.v2}/:namespace/:name/:provider/downloads/summary`,
    summary: 'Read the download counts of a module',
    reply: DownloadsDocument,
    runs: [readOperations.downloads],
    handle: async ({ context, params, exchange }) =>
      answered(await context.registry.downloads(params, context.reader), exchange, ({ row, summary }) =>
        reply(toDownloads(row, summary)),
      ),
  }),
  ...archiveRoutes,
  ...tokenRoutes,
]

/** Service identifier → base address with a slash at its end; and the login section. */
const discoveryOf = ({ base, login }: RegistryContext) => ({
  'modules.v1': `${base}${bases.v1}/`,
  'modules.v2': `${base}${bases.v2}/`,
  ...(login ? { 'login.v1': login } : {}),
})
