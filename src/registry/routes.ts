import * as z from 'zod'
import { type Call, noContent, type Route, raw, redirect, reply, route, type Words } from '../http/index.ts'
import { refuse } from '../kernel/index.ts'
import { type OffsetWindow, offsetMeta, offsetUrl, readOffset } from '../paging/index.ts'
import { bases, forward, tidyPath } from './paths.ts'
import type { Reader, RegistryDownloads, RegistryReads } from './reading.ts'
import type { Excerpt, ModuleRow } from './search/row.ts'
import type { VersionsOf } from './version-texts.ts'
import {
  DownloadsDocument,
  ModuleDetail,
  ModulePage,
  toDetail,
  toDownloads,
  toPageMeta,
  toSummary,
  VersionList,
} from './wire.ts'

/** What the routes need to know about the registry and who asks. */
export interface RegistryContext {
  readonly registry: RegistryReads & RegistryDownloads
  readonly reader: Reader
  readonly words: Words
  /** The JSON text of a version list. */
  readonly spellVersions: (listed: VersionsOf) => string
  /** What addresses begin with: of the whole registry, or a path of this host; no last slash. */
  readonly base: string
  /** Whether a download also says in its body what its header says. */
  readonly downloadBody: boolean
}

/** What the endpoints refuse. */
export type RegistryRefusal = 'module_not_found' | 'module_moved' | 'version_not_found' | 'query_required'

/** Every endpoint's page size, when the caller does not say and at most. */
const pageLimits = { defaultLimit: 15, maxLimit: 100 } as const

/** A longer query says nothing more and costs every module. */
const longestQuery = 1024

const Window = z.object({ offset: z.string().optional(), limit: z.string().optional() })
const ListQuery = Window.extend({ provider: z.string().optional(), verified: z.string().optional() })
const SearchQuery = ListQuery.extend({ q: z.string().optional(), namespace: z.string().optional() })

const askedOf = (query: z.infer<typeof SearchQuery>, { offset, limit }: OffsetWindow) => ({
  offset,
  limit,
  namespace: query.namespace === '' ? undefined : query.namespace,
  provider: query.provider === '' ? undefined : query.provider,
  verified: query.verified === 'true',
})

const pageOf = (
  { rows, total }: Excerpt<ModuleRow>,
  window: OffsetWindow,
  { context, url }: Pick<Call<RegistryContext, unknown, unknown>, 'context' | 'url'>,
) =>
  reply({
    meta: toPageMeta(offsetMeta(window, window.offset + window.limit < total), (offset) =>
      offsetUrl(withoutHost(context.base) + tidyPath(url.pathname) + url.search, offset),
    ),
    modules: rows.map((row) => toSummary(row)),
  })

const define = route<RegistryContext>()

/** The endpoints of the registry and its discovery documents. */
export const registryRoutes: readonly Route<RegistryContext, RegistryRefusal>[] = [
  define({
    id: 'registry.discover',
    method: 'GET',
    path: '/.well-known/registry.json',
    summary: 'Say where the services of this host are',
    access: 'none',
    handle: ({ context }) => reply(discoveryBelow(context.base)),
  }),
  define({
    id: 'registry.discoverAsTerraform',
    method: 'GET',
    path: '/.well-known/terraform.json',
    summary: 'Say where the services of this host are, at the path that module clients ask',
    access: 'none',
    handle: ({ context }) => reply(discoveryBelow(context.base)),
  }),
  define({
    id: 'registry.list',
    method: 'GET',
    path: bases.v1,
    summary: 'List modules in order of namespace, name and provider',
    query: ListQuery,
    reply: ModulePage,
    handle: async ({ context, query, url }) => {
      const window = readOffset(query, pageLimits)
      return pageOf(await context.registry.list(askedOf(query, window), context.reader), window, {
        context,
        url,
      })
    },
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
    handle: async ({ context, query, url }) => {
      const q = query.q ?? ''
      if (q.trim() === '')
        return refuse('query_required', 'Query string must be specified: add q with the words to search for')
      if (q.length > longestQuery)
        return refuse(
          'query_required',
          `Query string must be specified in at most ${longestQuery} characters`,
        )
      const window = readOffset(query, pageLimits)
      return pageOf(await context.registry.search(q, askedOf(query, window), context.reader), window, {
        context,
        url,
      })
    },
  }),
  define({
    id: 'registry.listNamespace',
    method: 'GET',
    path: `${bases.v1}/:namespace`,
    summary: 'List the modules of one namespace',
    query: ListQuery,
    reply: ModulePage,
    handle: async ({ context, params, query, url }) => {
      const window = readOffset(query, pageLimits)
      const asked = askedOf({ ...query, namespace: params.namespace }, window)
      return pageOf(await context.registry.list(asked, context.reader), window, { context, url })
    },
  }),
  define({
    id: 'registry.listProviders',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name`,
    summary: 'List the latest version of a module for each provider',
    query: Window,
    reply: ModulePage,
    refusals: ['module_not_found', 'module_moved'],
    handle: async ({ context, params, query, url }) => {
      const window = readOffset(query, pageLimits)
      const found = await context.registry.listProviders(params, context.reader)
      if (!found.ok) return forward(found, url)
      const rows = found.value.slice(window.offset, window.offset + window.limit)
      return pageOf({ rows, total: found.value.length }, window, { context, url })
    },
  }),
  define({
    id: 'registry.readLatest',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider`,
    summary: 'Read a module at its latest version',
    reply: ModuleDetail,
    refusals: ['module_not_found', 'module_moved', 'version_not_found'],
    handle: async ({ context, params, url }) => {
      const read = await context.registry.readModule(params, undefined, context.reader)
      if (!read.ok) return forward(read, url)
      return reply(toDetail(read.value))
    },
  }),
  define({
    id: 'registry.listVersions',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/versions`,
    summary: 'List the versions of a module, oldest first, with what each needs',
    reply: VersionList,
    refusals: ['module_not_found', 'module_moved'],
    handle: async ({ context, params, url }) => {
      const listed = await context.registry.listVersions(params, context.reader)
      if (!listed.ok) return forward(listed, url)
      return raw(context.spellVersions(listed.value), 'application/json')
    },
  }),
  define({
    id: 'registry.downloadLatest',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/download`,
    summary: 'Go to the download of the latest version',
    success: 302,
    refusals: ['module_not_found', 'module_moved', 'version_not_found'],
    handle: async ({ context, params, url }) => {
      const read = await context.registry.readModule(params, undefined, context.reader)
      if (!read.ok) return forward(read, url)
      const { namespace, name, provider, version } = read.value.row
      return redirect(302, `${bases.v1}/${namespace}/${name}/${provider}/${version}/download`)
    },
  }),
  define({
    id: 'registry.readVersion',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/:version`,
    summary: 'Read a module at one version',
    reply: ModuleDetail,
    refusals: ['module_not_found', 'module_moved', 'version_not_found'],
    handle: async ({ context, params, url }) => {
      const read = await context.registry.readModule(params, params.version, context.reader)
      if (!read.ok) return forward(read, url)
      return reply(toDetail(read.value))
    },
  }),
  define({
    id: 'registry.download',
    method: 'GET',
    path: `${bases.v1}/:namespace/:name/:provider/:version/download`,
    summary: 'Say where a version is fetched from, and count the download',
    description:
      'The location is in the `X-Registry-Get` header: downloader syntax, a URL, or a URL relative to this endpoint.',
    success: 204,
    refusals: ['module_not_found', 'module_moved', 'version_not_found'],
    handle: async ({ context, params, request, url }) => {
      const { registry, reader, words } = context
      const find = request.method === 'HEAD' ? registry.locateVersion : registry.download
      const found = await find(params, params.version, reader)
      if (!found.ok) return forward(found, url)
      const { source } = found.value
      const headers = words.emit({ Get: source })
      return context.downloadBody ? reply({ location: source }, { headers }) : noContent(headers)
    },
  }),
  define({
    id: 'registry.downloadsSummary',
    method: 'GET',
    path: `${bases.v2}/:namespace/:name/:provider/downloads/summary`,
    summary: 'Sum up the downloads of a module',
    reply: DownloadsDocument,
    refusals: ['module_not_found', 'module_moved'],
    handle: async ({ context, params, url }) => {
      const found = await context.registry.downloads(params, context.reader)
      if (!found.ok) return forward(found, url)
      return reply(toDownloads(found.value.row, found.value.summary))
    },
  }),
]

/** Service identifier → base address; each ends in a slash. */
const discoveryBelow = (base: string) => ({
  'modules.v1': `${base}${bases.v1}/`,
  'modules.v2': `${base}${bases.v2}/`,
})

/** Links of pages are paths, as clients know them: some put the host before them without a look. */
const withoutHost = (base: string): string => base.replace(/^https?:\/\/[^/]+/i, '')
