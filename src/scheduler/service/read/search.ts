import { rowKey, type Snapshot, type Table } from '../../../store/index.ts'
import type { Access } from '../../acl/access.ts'
import { builtInPools } from '../../pools/rules.ts'
import { poolRecords } from '../../records/collections.ts'
import type { Tables } from '../../records/tables.ts'
import { type FoundContext, prefixLimit, type SearchContext } from '../../search/contexts.ts'
import { type FuzzyMatch, fuzzyMatches, jobMatches, lookAtJob } from '../../search/fuzzy.ts'
import { beginning } from './list.ts'
import { everyNamespace } from './visibility.ts'

/** A search in progress: its namespace, its snapshot, and the rights of its caller. */
export interface Search {
  readonly tables: Tables
  readonly now: Snapshot
  readonly access: Access
  readonly namespace: string
}

interface BornRow {
  readonly ID: string
  readonly Namespace: string
}

/** The matches in one context. */
export interface OfContext<Match, Context extends FoundContext = FoundContext> {
  readonly context: Context
  readonly matches: readonly Match[]
  readonly truncated: boolean
}

/** The right to read a job includes the records that belong to it. */
export const seeing = ['read-job', 'list-jobs'] as const

/** Finds objects by a prefix of their identifier. */
export function beginningWith(
  search: Search,
  context: SearchContext,
  prefix: string,
): OfContext<string, SearchContext> {
  const some = take(beginningSo[context](search, prefix), prefixLimit + 1)
  return { context, matches: some.slice(0, prefixLimit), truncated: some.length > prefixLimit }
}

/** Tests whether a row is in the namespace of a search, and visible to its caller. */
const visibleIn = ({ access, namespace }: Search) =>
  namespace === everyNamespace
    ? (row: { readonly Namespace: string }) => access.namespace(row.Namespace, ...seeing)
    : (row: { readonly Namespace: string }) => row.Namespace === namespace

/** Yields the names of the visible namespaces that have jobs, and `default`, which always exists. */
function* namespaces({ tables, now, access }: Search): Iterable<string> {
  const jobs = tables.jobs.at(now)
  const names = new Set(['default'])
  for (let from = ''; ; ) {
    const [job] = jobs.scan({ prefix: '', from, limit: 1 })
    if (job === undefined) break
    names.add(job.Namespace)
    // All keys of this namespace sort before that key.
    from = `${rowKey(job.Namespace)}\u0002`
  }
  for (const name of [...names].sort()) if (access.namespace(name, ...seeing)) yield name
}
function* pools({ now, access }: Search): Iterable<string> {
  const made = poolRecords.list(now).map(({ value }) => value.Name)
  for (const name of [...builtInPools.map(({ Name }) => Name), ...made].sort())
    if (access.pool(name, 'read')) yield name
}
/** The rows of every visible namespace whose identifier has this prefix. */
const born = <Row extends BornRow>(table: Table<Row>, search: Search, prefix: string): Iterable<Row> =>
  visible(table.at(search.now).chunks({ prefix: beginning([], prefix) }), visibleIn(search))
const jobs = (search: Search, prefix: string) => {
  const { tables, now, namespace } = search
  if (namespace !== everyNamespace)
    return visible(tables.jobs.at(now).chunks({ prefix: beginning([namespace], prefix) }), undefined)
  const seen = visibleIn(search)
  return visible(tables.jobs.at(now).chunks({}), (job) => job.ID.startsWith(prefix) && seen(job))
}

/** The identifiers of a context with this prefix, in order. */
const beginningSo: Readonly<Record<SearchContext, (search: Search, prefix: string) => Iterable<string>>> = {
  jobs: (search, prefix) => ids(jobs(search, prefix)),
  evals: (search, prefix) => ids(born(search.tables.evaluations, search, prefix)),
  allocs: (search, prefix) => ids(born(search.tables.allocations, search, prefix)),
  nodes: ({ tables, now }, prefix) =>
    ids(visible(tables.nodes.at(now).chunks({ prefix: beginning([], prefix) }), undefined)),
  deployment: (search, prefix) => ids(born(search.tables.deployments, search, prefix)),
  node_pools: (search, prefix) => only(pools(search), prefix),
  namespaces: (search, prefix) => only(namespaces(search), prefix),
}

/** Finds objects by a part of their name, or, if they have none, by a prefix of their identifier. */
export function fuzzy(
  search: Search,
  context: SearchContext,
  text: string,
): readonly OfContext<FuzzyMatch>[] {
  if (context === 'jobs') {
    const inJobs = jobMatches(text)
    for (const job of jobs(search, ''))
      lookAtJob(job, { look: (each, name, scope) => inJobs.get(each)?.look(name, scope) })
    return [...inJobs].map(([each, matches]) => ({ context: each, ...matches.best() }))
  }
  if (context === 'evals' || context === 'deployment') {
    const { matches, truncated } = beginningWith(search, context, text)
    return [{ context, matches: matches.map((ID) => ({ ID })), truncated }]
  }
  const names = fuzzyMatches(text)
  if (context === 'allocs')
    for (const { Name, Namespace, ID } of born(search.tables.allocations, search, ''))
      names.look(Name, [Namespace, ID])
  else if (context === 'nodes')
    for (const chunk of search.tables.nodes.at(search.now).chunks({}))
      for (const { Name, ID } of chunk) names.look(Name, [ID])
  else for (const name of beginningSo[context](search, '')) names.look(name)
  return [{ context, ...names.best() }]
}

/** Finds objects by a prefix of their identifier, or by a part of their name. */

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
