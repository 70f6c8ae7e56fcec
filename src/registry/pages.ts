import * as z from 'zod'
import { type Call, type Reply, reply } from '../http/index.ts'
import { type OffsetWindow, offsetMeta, offsetUrl, readOffset } from '../paging/index.ts'
import type { RegistryContext } from './context.ts'
import { tidyPath } from './paths.ts'
import type { DirectoryQuery } from './search/query.ts'
import type { Excerpt, ModuleRow } from './search/row.ts'
import { toPageMeta, toSummary } from './wire.ts'

/** The default and the maximum page size of every endpoint. */
const pageLimits = { defaultLimit: 15, maxLimit: 100 } as const

const text = z.string().optional()
const repeatable = text.describe('may be repeated: a module of any of them')

/** The query of a list's page. */
export const WindowQuery = z.object({ offset: text, limit: text })
/** The query of a page of modules. */
export const ListQuery = WindowQuery.extend({ provider: repeatable, verified: text })
/** The query of a page of search results. */
export const SearchQuery = ListQuery.extend({ q: text, namespace: repeatable })

/** The parameters of a list: an empty string means no filter. */
type Asked = Partial<z.infer<typeof SearchQuery>>

type ListCall<Query> = Pick<Call<RegistryContext, unknown, Query>, 'context' | 'exchange' | 'query'>

/** The requested window and filter of a list. */
export function asked(query: Asked, search = ''): OffsetWindow & DirectoryQuery {
  const { offset, limit } = readOffset(query, pageLimits)
  return {
    offset,
    limit,
    namespace: every('namespace', query.namespace, search),
    provider: every('provider', query.provider, search),
    verified: query.verified === 'true',
  }
}

/** All values of a parameter; `undefined` without one that is not empty. */
function every(name: string, first: string | undefined, search: string): readonly string[] | undefined {
  if (first === undefined) return undefined
  const values = new URLSearchParams(search).getAll(name).filter((value) => value !== '')
  return values.length === 0 ? undefined : values
}

/** Answers with a page of modules. */
export function pageReply<Query extends Asked>(
  { rows, total }: Excerpt<ModuleRow>,
  { context, exchange, query }: ListCall<Query>,
): Reply {
  const window = readOffset(query, pageLimits)
  const below = withoutHost(context.base) + tidyPath(exchange.path) + exchange.search
  const meta = offsetMeta(window, window.offset + window.limit < total)
  return reply({
    meta: toPageMeta(meta, (offset) => offsetUrl(below, offset)),
    modules: rows.map((row) => toSummary(row)),
  })
}

/** Links of pages are paths, as clients expect: some prepend the host unconditionally. */
const withoutHost = (base: string): string => base.replace(/^https?:\/\/[^/]+/i, '')
