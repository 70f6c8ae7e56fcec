import { refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { Access } from '../acl/access.ts'
import {
  allocationRecords,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
  nodeRecords,
  poolRecords,
} from '../records/collections.ts'
import { type FoundContext, type SearchContext, searchContexts, shortestText } from '../search/contexts.ts'
import { permissionDenied } from '../service/authenticate.ts'
import { type Cluster, indexOf } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { foundNow } from '../service/read/read.ts'
import { beginningWith, fuzzy, type OfContext, type Search, seeing } from '../service/read/search.ts'
import { call, prefix } from './arguments.ts'
import type { SearchCall } from './calls.ts'

/**
 * The matches, by kind.
 */
export interface SearchFound<Context extends string, Match> {
  readonly Matches: { readonly [Each in Context]?: readonly Match[] }
  /** Whether there are more than are shown. */
  readonly Truncations: { readonly [Each in Context]?: boolean }
}

/** Whether a caller may list the objects of a context. Pools and namespaces are filtered one by one instead. */
const isAllowed = (access: Access, context: SearchContext, namespace: string): boolean => {
  if (context === 'node_pools' || context === 'namespaces') return true
  return context === 'nodes' ? access.coarse('node', 'read') : access.namespace(namespace, ...seeing)
}

const markOf = (context: SearchContext): string => marks[context]

const marks: Readonly<Record<SearchContext, string>> = {
  jobs: jobRecords.markOf(),
  evals: evaluationRecords.markOf(),
  allocs: allocationRecords.markOf(),
  nodes: nodeRecords.markOf(),
  deployment: deploymentRecords.markOf(),
  node_pools: poolRecords.markOf(),
  namespaces: jobRecords.markOf(),
}

const byContext = <Match, Context extends FoundContext>(
  found: readonly OfContext<Match, Context>[],
): SearchFound<Context, Match> => ({
  // Keys of the contexts that were searched, and no others.
  Matches: Object.fromEntries(found.map(({ context, matches }) => [context, matches])) as SearchFound<
    Context,
    Match
  >['Matches'],
  Truncations: Object.fromEntries(found.map(({ context, truncated }) => [context, truncated])) as SearchFound<
    Context,
    Match
  >['Truncations'],
})

const ask = <Answer extends { readonly Matches: object }>(
  cluster: Cluster,
  call: SearchCall,
  text: string,
  answer: (search: Search, contexts: readonly SearchContext[]) => Answer,
) =>
  enter(cluster, call, ({ now, access }) => {
    const { namespace = 'default', context } = call
    if (/\p{Surrogate}|\0/u.test(text + namespace))
      return refuse(
        'invalid_search',
        'the search text and the namespace must be valid Unicode without U+0000',
      )
    const may = (each: SearchContext) => isAllowed(access, each, namespace)
    if (context !== undefined && !may(context)) return permissionDenied()
    const contexts = context === undefined ? searchContexts.filter(may) : [context]
    const value = answer({ tables: cluster.tables, now, access, namespace }, contexts)
    return foundNow(cluster, value, indexOf(now, contexts.map(markOf)))
  })

/** The search operations. */
export const searchOperations = {
  /**
   * Searches by prefix of the identifier, twenty of each kind; requires the rights to list them. Kinds that the caller
   * may not list are omitted, or refused if named.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { demoCluster } from 'plinth/scheduler/demo'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.load(demoCluster())
   * const found = await scheduler.search('we', { context: 'jobs' })
   * found.ok && found.value // { Matches: { jobs: ['web'] }, Truncations: { jobs: false } }
   * ```
   */
  search: operation({
    takes: [prefix, call],
    refuses: ['permission_denied', 'invalid_search'],
    run: (cluster: Cluster, prefix: string, call: SearchCall = {}) =>
      ask(cluster, call, prefix, (search, contexts) =>
        byContext(contexts.map((context) => beginningWith(search, context, prefix))),
      ),
  }),

  /**
   * Finds objects by a part of their name, case-insensitive, with the best matches of each kind first; evaluations and
   * deployments, which have no name, by the prefix of their identifier. For jobs it also searches the names of groups,
   * services and tasks, and the commands and images of tasks.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { demoCluster } from 'plinth/scheduler/demo'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.load(demoCluster())
   * const found = await scheduler.searchFuzzy('FRONT', { context: 'jobs' })
   * found.ok && found.value.Matches.groups // [{ ID: 'frontend', Scope: ['default', 'web'] }]
   * ```
   */
  searchFuzzy: operation({
    takes: [prefix, call],
    refuses: ['permission_denied', 'invalid_search'],
    run: async (cluster: Cluster, text: string, call: SearchCall = {}) => {
      const { length } = [...text]
      if (length < shortestText)
        return refuse(
          'invalid_search',
          `fuzzy search query must be at least ${shortestText} characters, got ${length}`,
        )
      return ask(cluster, call, text, (search, contexts) =>
        byContext(contexts.flatMap((context) => fuzzy(search, context, text))),
      )
    },
  }),
}
