import type { BrowserView } from '../http/browser-view.ts'
import { type Exchange, noContent, raw, redirect, reply } from '../http/index.ts'
import { refuse } from '../kernel/index.ts'
import { nothing } from '../operation/operation.ts'
import { archiveRoutes } from './archive-routes.ts'
import type { RegistryContext } from './context.ts'
import { access, operationRoute } from './define-route.ts'
import { moduleBlock } from './module-block.ts'
import { pullThrough } from './operations/pull-through.ts'
import { readOperations } from './operations/reads.ts'
import { asked, ListQuery, pageReply, SearchQuery, WindowQuery } from './pages.ts'
import { bases } from './paths.ts'
import { quotaRoutes } from './quota-routes.ts'
import { loginAt, signInRoutes } from './sign-in-routes.ts'
import { tokenRoutes } from './token-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'
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

/** The page of a module for browsers. */
const browser: BrowserView<RegistryContext> = {
  path: ({ namespace = '', name = '', provider = '' }) =>
    `/registry/${[namespace, name, provider].map(encodeURIComponent).join('/')}`,
  content: async (body, { base }, { origin }) => {
    const { namespace, name, provider, version, description, root } = ModuleDetail.parse(JSON.parse(body))
    const address = `${namespace}/${name}/${provider}`
    // A registry has a host of its own in the addresses of its modules.
    const { host } = new URL(base, origin)
    return {
      title: `${address} ${version}`,
      about: description,
      snippet: moduleBlock({ name, version, inputs: root.inputs }, `${host}/${address}`),
      // Micromark is loaded when a browser asks: most callers are clients.
      html: (await import('../http/markdown.ts')).markdownBelowTitle(root.readme),
    }
  },
}

/** The endpoints of the registry and its discovery documents. */
export const registryRoutes = [
  operationRoute({
    id: 'registry.discover',
    method: 'GET',
    path: '/.well-known/registry.json',
    summary: 'Discover the services of this host',
    access: access.none,
    reply: Discovery,
    run: nothing,
    show: (_, { context }) => reply(discoveryOf(context)),
  }),
  operationRoute({
    id: 'registry.discoverAsTerraform',
    method: 'GET',
    path: '/.well-known/terraform.json',
    summary: 'Discover the services of this host, at the path that module clients request',
    access: access.none,
    reply: Discovery,
    run: nothing,
    show: (_, { context }) => reply(discoveryOf(context)),
  }),
  operationRoute({
    id: 'registry.list',
    method: 'GET',
    path: bases.v1,
    summary: 'List modules in order of namespace, name and provider',
    query: ListQuery,
    reply: ModulePage,
    run: readOperations.list,
    with: ({ context, query, exchange }) => [asked(query, exchange.search), context.reader],
    answer: pageReply,
  }),
  operationRoute({
    id: 'registry.search',
    method: 'GET',
    path: `${bases.v1}/search`,
    summary: 'Search modules, best match first',
    description:
      'Every term of `q` must appear in the name, namespace, provider, owner or description, whole or in part; a term with separators is a run of words. Points for each word and field add up; among equals, partner modules come first, then the number of downloads, then the address.',
    query: SearchQuery,
    reply: ModulePage,
    refusals: ['query_required'],
    run: readOperations.search,
    with: ({ context, query, exchange }) => {
      const q = query.q ?? ''
      if (q.trim() === '')
        return refuse('query_required', 'Query string must be specified: add q with the words to search for')
      if (q.length > longestQuery)
        return refuse(
          'query_required',
          `Query string must be specified in at most ${longestQuery} characters`,
        )
      return [q, asked(query, exchange.search), context.reader]
    },
    answer: pageReply,
  }),
  operationRoute({
    id: 'registry.listNamespace',
    method: 'GET',
    path: `${bases.v1}/:namespace`,
    summary: 'List the modules of one namespace',
    query: ListQuery,
    reply: ModulePage,
    run: readOperations.list,
    with: ({ context, params, query, exchange }) => [
      { ...asked(query, exchange.search), ...params },
      context.reader,
    ],
    answer: pageReply,
  }),
  operationRoute({
    id: 'registry.listProviders',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name`,
    summary: 'List the latest version of a module for each provider',
    query: WindowQuery,
    reply: ModulePage,
    run: readOperations.listProviders,
    with: ({ context, params }) => [params, context.reader],
    show: (all, call) => {
      const { offset, limit } = asked(call.query)
      return pageReply({ rows: all.slice(offset, offset + limit), total: all.length }, call)
    },
  }),
  operationRoute({
    id: 'registry.readLatest',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider`,
    summary: 'Read a module at its latest version',
    browser,
    reply: ModuleDetail,
    run: pullThrough.readModule,
    with: ({ context, params }) => [params, undefined, context.reader],
    show: (found) => reply(toDetail(found)),
  }),
  operationRoute({
    id: 'registry.listVersions',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/versions`,
    summary: 'List the versions of a module, oldest first, with their dependencies',
    reply: VersionList,
    run: pullThrough.listVersions,
    with: ({ context, params }) => [params, context.reader],
    show: (listed, { context }) => raw(context.spellVersions(listed), 'application/json'),
  }),
  operationRoute({
    id: 'registry.downloadLatest',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/download`,
    summary: 'Redirect to the download of the latest version',
    success: 302,
    run: pullThrough.readModule,
    with: ({ context, params }) => [params, undefined, context.reader],
    show: ({ row: { namespace, name, provider, version } }) =>
      redirect(302, `${bases.v1}/${namespace}/${name}/${provider}/${version}/download`),
  }),
  operationRoute({
    id: 'registry.readVersion',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/:version`,
    summary: 'Read a module at one version',
    browser,
    reply: ModuleDetail,
    run: pullThrough.readModule,
    with: ({ context, params }) => [params, params.version, context.reader],
    show: (found) => reply(toDetail(found)),
  }),
  operationRoute({
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
    run: pullThrough.download,
    with: ({ context, params, exchange }) => [params, context.reader, exchange.method !== 'HEAD'],
    show: async ({ source, archive }, { context, exchange }) => {
      const { words, downloadBody, tickets } = context
      // Clients send no token to download URLs.
      const ticket = archive && (await tickets?.make(archive.blob))
      const location = ticket === undefined ? source : `${source}&ticket=${ticket}`
      const headers = words.emit({ Get: location })
      return downloadBody || wantsJson(exchange) ? reply({ location }, { headers }) : noContent(headers)
    },
  }),
  operationRoute({
    id: 'registry.downloadsSummary',
    method: 'GET',
    path: `${bases.v2}/:namespace/:name/:provider/downloads/summary`,
    summary: 'Read the download counts of a module',
    reply: DownloadsDocument,
    run: readOperations.downloads,
    with: ({ context, params }) => [params, context.reader],
    show: ({ row, summary }) => reply(toDownloads(row, summary)),
  }),
  ...archiveRoutes,
  ...quotaRoutes,
  ...webhookRoutes,
  ...tokenRoutes,
  ...signInRoutes,
]

/** Service identifier → base address with a slash at its end; and the login section. */
const discoveryOf = ({ base, login, parts }: RegistryContext) => ({
  'modules.v1': `${base}${bases.v1}/`,
  'modules.v2': `${base}${bases.v2}/`,
  ...(parts.signIn ? { 'login.v1': loginAt(base) } : login ? { 'login.v1': login } : {}),
})
