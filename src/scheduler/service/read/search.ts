import { type Refused, refuse } from '../../../kernel/index.ts'
import { rowKey, type Snapshot, type Table } from '../../../store/index.ts'
import type { Access } from '../../acl/access.ts'
import { builtInPools } from '../../pools/rules.ts'
import {
  allocationRecords,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
  nodeRecords,
  poolRecords,
} from '../../records/collections.ts'
import {
  type FoundContext,
  prefixLimit,
  type SearchContext,
  searchContexts,
  shortestText,
} from '../../search/contexts.ts'
import { type FuzzyMatch, fuzzyMatches, jobMatches, lookAtJob } from '../../search/fuzzy.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { Found, ReadCall } from '../call.ts'
import { type Cluster, indexOf } from '../cluster.ts'
import { enter } from '../enter.ts'
import { everyNamespace } from '../jobs/jobs.ts'
import { beginning } from './list.ts'

/**
 * A call that searches. In the namespace `*` it searches all that the caller may see.
 *
 * @public
 */
export interface SearchCall extends Pick<ReadCall, 'token' | 'namespace' | 'stale'> {
  /** What to look at; all of it by default. */
  readonly context?: SearchContext | undefined
}

/**
 * What was found, by what it is.
 *
 * @public
 */
export interface SearchFound<Context extends string, Match> {
  readonly Matches: { readonly [Each in Context]?: readonly Match[] }
  /** Whether there are more than are shown. */
  readonly Truncations: { readonly [Each in Context]?: boolean }
}

/** One search under way: where, as of when, and what its caller may see. */
interface Search {
  readonly now: Snapshot
  readonly access: Access
  readonly namespace: string
}

interface BornRow {
  readonly ID: string
  readonly Namespace: string
}

const seeing = ['read-job', 'list-jobs'] as const

/** Finds things by the beginning of their identifier, or by a part of their name. */
export function searchMethods(cluster: Cluster) {
  const { tables } = cluster

  const inSight = ({ access, namespace }: Search) =>
    namespace === everyNamespace
      ? (row: { readonly Namespace: string }) => access.namespace(row.Namespace, ...seeing)
      : (row: { readonly Namespace: string }) => row.Namespace === namespace

  /** Namespaces are where jobs are; `default` is there without any. */
  function* namespaces({ now, access }: Search): Iterable<string> {
    const jobs = tables.jobs.at(now)
    const names = new Set(['default'])
    for (let from = ''; ; ) {
      const [job] = jobs.scan({ prefix: '', from, limit: 1 })
      if (job === undefined) break
      names.add(job.Namespace)
      // Whatever begins with this namespace's part lies before that key.
      from = `${rowKey(job.Namespace)}\u0002`
    }
    for (const name of [...names].sort()) if (access.namespace(name, ...seeing)) yield name
  }
  function* pools({ now, access }: Search): Iterable<string> {
    const made = poolRecords.list(now).map(({ value }) => value.Name)
    for (const name of [...builtInPools.map(({ Name }) => Name), ...made].sort())
      if (access.pool(name, 'read')) yield name
  }
  /** Rows of every namespace in sight whose identifier begins so. */
  const born = <Row extends BornRow>(table: Table<Row>, search: Search, prefix: string): Iterable<Row> =>
    visible(table.at(search.now).chunks({ prefix: beginning([], prefix) }), inSight(search))
  const jobs = (search: Search, prefix: string) => {
    const { now, namespace } = search
    if (namespace !== everyNamespace)
      return visible(tables.jobs.at(now).chunks({ prefix: beginning([namespace], prefix) }), undefined)
    const seen = inSight(search)
    return visible(tables.jobs.at(now).chunks({}), (job) => job.ID.startsWith(prefix) && seen(job))
  }

  /** The identifiers of a context that begin so, in order. */
  const beginningSo: Readonly<Record<SearchContext, (search: Search, prefix: string) => Iterable<string>>> = {
    jobs: (search, prefix) => ids(jobs(search, prefix)),
    evals: (search, prefix) => ids(born(tables.evaluations, search, prefix)),
    allocs: (search, prefix) => ids(born(tables.allocations, search, prefix)),
    nodes: ({ now }, prefix) =>
      ids(visible(tables.nodes.at(now).chunks({ prefix: beginning([], prefix) }), undefined)),
    deployment: (search, prefix) => ids(born(tables.deployments, search, prefix)),
    node_pools: (search, prefix) => only(pools(search), prefix),
    namespaces: (search, prefix) => only(namespaces(search), prefix),
  }

  const ask = <Answer extends { readonly Matches: object }>(
    call: SearchCall,
    text: string,
    answer: (search: Search, contexts: readonly SearchContext[]) => Answer,
  ): Promise<Found<Answer> | Refused<'permission_denied' | 'invalid_search'>> =>
    enter<Found<Answer> | Refused<'permission_denied' | 'invalid_search'>>(
      cluster,
      call,
      ({ now, access }) => {
        const { namespace = 'default', context } = call
        if (/\p{Surrogate}|\0/u.test(text + namespace))
          return refuse(
            'invalid_search',
            'what is searched for, and where, must be valid Unicode without U+0000',
          )
        const may = (each: SearchContext) => isAllowed(access, each, namespace)
        if (context !== undefined && !may(context)) return permissionDenied()
        const contexts = context === undefined ? searchContexts.filter(may) : [context]
        const value = answer({ now, access, namespace }, contexts)
        const index = indexOf(now, contexts.map(markOf))
        const { consistency } = cluster
        return {
          ok: true,
          value,
          index,
          lastContact: consistency.lastContact(),
          knownLeader: consistency.knownLeader(),
        }
      },
    )

  return {
    /**
     * Finds things by the beginning of their identifier, twenty of each kind; asks for what listing them asks for.
     * Kinds that the caller may not list are left out, or refused where one is named.
     *
     * @example
     * ```ts
     * import { createScheduler, demoCluster } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.load(demoCluster())
     * const found = await scheduler.search('we', { context: 'jobs' })
     * found.ok && found.value // { Matches: { jobs: ['web'] }, Truncations: { jobs: false } }
     * ```
     */
    search: (
      prefix: string,
      call: SearchCall = {},
    ): Promise<Found<SearchFound<SearchContext, string>> | Refused<'permission_denied' | 'invalid_search'>> =>
      ask(call, prefix, (search, contexts) => {
        const found = contexts.map((context) => {
          const some = take(beginningSo[context](search, prefix), prefixLimit + 1)
          return { context, matches: some.slice(0, prefixLimit), truncated: some.length > prefixLimit }
        })
        return byContext(found)
      }),

    /**
     * Finds things by a part of their name, whatever its case, the best of each kind first; of evaluations and
     * deployments, which have no name, by the beginning of their identifier. Of jobs it looks at the names of
     * groups, services and tasks too, and at what tasks run.
     *
     * @example
     * ```ts
     * import { createScheduler, demoCluster } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.load(demoCluster())
     * const found = await scheduler.searchFuzzy('FRONT', { context: 'jobs' })
     * found.ok && found.value.Matches.groups // [{ ID: 'frontend', Scope: ['default', 'web'] }]
     * ```
     */
    searchFuzzy: async (
      text: string,
      call: SearchCall = {},
    ): Promise<
      Found<SearchFound<FoundContext, FuzzyMatch>> | Refused<'permission_denied' | 'invalid_search'>
    > => {
      const { length } = [...text]
      if (length < shortestText)
        return refuse(
          'invalid_search',
          `fuzzy search query must be at least ${shortestText} characters, got ${length}`,
        )
      return ask(call, text, (search, contexts) => {
        const found = contexts.flatMap((context) => fuzzy(search, context, text))
        return byContext(found)
      })
    },
  }

  function fuzzy(search: Search, context: SearchContext, text: string): readonly OfContext<FuzzyMatch>[] {
    if (context === 'jobs') {
      const inJobs = jobMatches(text)
      for (const job of jobs(search, ''))
        lookAtJob(job, { look: (each, name, scope) => inJobs.get(each)?.look(name, scope) })
      return [...inJobs].map(([each, matches]) => ({ context: each, ...matches.best() }))
    }
    if (context === 'evals' || context === 'deployment') {
      const some = take(beginningSo[context](search, text), prefixLimit + 1)
      const matches = some.slice(0, prefixLimit).map((ID) => ({ ID }))
      return [{ context, matches, truncated: some.length > prefixLimit }]
    }
    const names = fuzzyMatches(text)
    if (context === 'allocs')
      for (const { Name, Namespace, ID } of born(tables.allocations, search, ''))
        names.look(Name, [Namespace, ID])
    else if (context === 'nodes')
      for (const chunk of tables.nodes.at(search.now).chunks({}))
        for (const { Name, ID } of chunk) names.look(Name, [ID])
    else for (const name of beginningSo[context](search, '')) names.look(name)
    return [{ context, ...names.best() }]
  }
}

/** Whether a caller may list what a context holds. Pools and namespaces are left out one by one instead. */
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

/** What was found in one context. */
interface OfContext<Match, Context extends FoundContext = FoundContext> {
  readonly context: Context
  readonly matches: readonly Match[]
  readonly truncated: boolean
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

function* visible<Row>(
  chunks: Iterable<readonly Row[]>,
  may: ((row: Row) => boolean) | undefined,
): Iterable<Row> {
  for (const chunk of chunks) for (const row of chunk) if (may === undefined || may(row)) yield row
}

function* ids(rows: Iterable<{ readonly ID: string }>): Iterable<string> {
  for (const { ID } of rows) yield ID
}

function* only(names: Iterable<string>, prefix: string): Iterable<string> {
  for (const name of names) if (name.startsWith(prefix)) yield name
}

function take<Item>(items: Iterable<Item>, most: number): readonly Item[] {
  const taken: Item[] = []
  for (const item of items) {
    taken.push(item)
    if (taken.length === most) break
  }
  return taken
}
