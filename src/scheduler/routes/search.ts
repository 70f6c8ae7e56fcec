import * as z from 'zod'
import type { Reply } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import type { SearchCall } from '../operations/calls.ts'
import { operations } from '../operations/operations.ts'
import { isSearchContext, prefixLimit, searchContexts, shortestText } from '../search/contexts.ts'
import type { Found } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { ReadQuery, readCall, readRefusals } from '../wire/query.ts'
import { foundHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { foundReply, operationRoute, type RouteContext, type SchedulerRoute } from './context.ts'

const common = { Context: z.string().default(''), Namespace: z.string().default('') }
const PrefixBody = z.object({ Prefix: z.string().default(''), ...common })
const FuzzyBody = z.object({ Text: z.string().default(''), ...common })

const query = ReadQuery.pick({ namespace: true, region: true, stale: true, pretty: true })
const method = ['POST', 'PUT'] as const
const access = 'namespace:list-jobs or namespace:read-job or node:read or node_pool:read'
const refusals = [...readRefusals, ...bodies, 'invalid_search'] as const

const about = `Context is one of ${searchContexts.join(', ')}; all of them by default, or with "all". The result has only objects that the caller may list.`

/** The caller and the namespace of a search. The namespace in the query precedes that in the body. */
function callOf(
  { token }: RouteContext,
  given: z.output<typeof query>,
  { Context, Namespace }: { readonly Context: string; readonly Namespace: string },
):
  | { readonly ok: true; readonly value: SearchCall }
  | Refused<(typeof readRefusals)[number] | 'invalid_search'> {
  const call = readCall(given, { token, listens: undefined })
  if (!call.ok) return call
  if (Context !== '' && Context !== 'all' && !isSearchContext(Context))
    return refuse(
      'invalid_search',
      `context must be one of ${searchContexts.join(', ')} or "all" for all contexts; got ${JSON.stringify(Context)}`,
    )
  const { namespace = Namespace || undefined, stale } = call.value
  return {
    ok: true,
    value: { token, namespace, stale, context: isSearchContext(Context) ? Context : undefined },
  }
}

/** The matches, with the index and contact fields that clients of this service read in the body. */
const searchReply = <Code extends SchedulerRefusal>(
  found: Found<object> | Refused<Code>,
  call: { readonly context: RouteContext },
): Reply | Refused<Code> => {
  if (!found.ok) return found
  const { index, lastContact, knownLeader } = found
  const more = { Index: index, LastContact: lastContact, KnownLeader: knownLeader, NextToken: '' }
  return foundReply({ ...found, value: { ...found.value, ...more } }, call)
}

const answered = (match: z.ZodType) =>
  z.object({
    Matches: z.record(z.string(), z.array(match)),
    Truncations: z.record(z.string(), z.boolean()),
    Index: z.int(),
    LastContact: z.int(),
    KnownLeader: z.boolean(),
    NextToken: z.string(),
  })

/** The search endpoints. */
export const searchRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'search.prefix',
    method,
    path: '/v1/search',
    summary: 'Search by prefix of the identifier',
    description: `Body: {"Prefix": "…", "Context": "…"}. ${about} At most ${prefixLimit} of each; Truncations marks the kinds with more.`,
    access,
    query,
    accepts: PrefixBody,
    emits: foundHeaders,
    reply: answered(z.string()),
    refusals,
    run: operations.search,
    with: ({ context, query: given, body }) => {
      const read = readBody(PrefixBody, body, 'a search', 'invalid_search')
      if (!read.ok) return read
      const call = callOf(context, given, read.value)
      return call.ok ? [read.value.Prefix, call.value] : call
    },
    answer: searchReply,
  }),
  operationRoute({
    id: 'search.fuzzy',
    method,
    path: '/v1/search/fuzzy',
    summary: 'Search by a part of the name',
    description: `Body: {"Text": "…", "Context": "…"}; Text has at least ${shortestText} characters. ${about}`,
    access,
    query,
    accepts: FuzzyBody,
    emits: foundHeaders,
    reply: answered(z.object({ ID: z.string(), Scope: z.array(z.string()).optional() })),
    refusals,
    run: operations.searchFuzzy,
    with: ({ context, query: given, body }) => {
      const read = readBody(FuzzyBody, body, 'a search', 'invalid_search')
      if (!read.ok) return read
      const call = callOf(context, given, read.value)
      return call.ok ? [read.value.Text, call.value] : call
    },
    answer: searchReply,
  }),
]
