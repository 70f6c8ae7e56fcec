import type { Page } from '../data/cursor-list.ts'
import { useQuery } from '../data/query.ts'
import type { ServiceName } from '../data/services.ts'
import type { Column } from './column.ts'
import { Facets, valuesOf } from './facets.tsx'
import { List, type Shown } from './list.tsx'
import { SearchBox } from './search-box.tsx'

/** Rows of a page. */
export const searchPageRows = 100

/** The values that a property had in the longest list, by the service. */
const known = new Map<string, Set<string>>()

interface SearchListProps<Row> {
  readonly title: string
  readonly noun: readonly [one: string, more: string]
  readonly service: ServiceName
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** The property that the service selects by. */
  readonly facet: {
    readonly title: string
    readonly parameter: string
    readonly of: (row: Row) => readonly string[]
  }
  readonly serverOrders?: Readonly<Record<string, string>>
  /** How the first one comes here. */
  readonly hint: string
  readonly read: (asked: {
    /** The search, the value of the facet and the order, as the service takes them. */
    readonly query: Readonly<Record<string, string | undefined>>
    readonly cursor: string | undefined
    readonly signal: AbortSignal
  }) => Promise<Page<Row>>
}

/** A list with a search by its service; the search text is in the URL. */
export function SearchList<Row>(props: SearchListProps<Row>) {
  const { title, noun, service, columns, keyOf, facet, serverOrders = {}, hint, read } = props
  const { path, query, change } = useQuery()
  const q = query['q'] ?? ''
  const chosen = query[facet.parameter]
  const sorting = query['sort'] ?? ''
  const order = serverOrders[sorting.replace(/^-/, '')]
  const asked = {
    q,
    [facet.parameter]: chosen,
    ...(order === undefined ? {} : { sort: order, order: sorting.startsWith('-') ? 'desc' : 'asc' }),
  }
  return (
    <List<Row>
      title={title}
      noun={noun}
      service={service}
      columns={() => columns}
      keyOf={keyOf}
      read={({ cursor, signal }) => read({ query: asked, cursor, signal })}
      inputs={[q, chosen]}
      serverOrders={serverOrders}
      above={(shown) => (
        <>
          <SearchBox value={q} onSearch={(text) => change({ q: text })} />
          <ServiceFacet
            service={service}
            facet={facet}
            shown={shown}
            chosen={chosen}
            choose={(value) => change({ [facet.parameter]: value })}
          />
        </>
      )}
      empty={
        q === '' && chosen === undefined ? (
          <>
            No {noun[1]} yet. {hint}
          </>
        ) : (
          <>
            No {noun[1]} {chosen !== undefined && `with ${facet.title.toLowerCase()} ${chosen} `}
            {q !== '' && `for “${q}”`}. <a href={path}>Show all {noun[1]}</a>
          </>
        )
      }
    />
  )
}

/** The values of the property that the service selects by. */
function ServiceFacet<Row>({
  service,
  facet,
  shown: { rows = [], isWhole },
  chosen,
  choose,
}: Pick<SearchListProps<Row>, 'service' | 'facet'> & {
  readonly shown: Shown<Row>
  readonly chosen: string | undefined
  readonly choose: (value: string | undefined) => void
}) {
  const counts = valuesOf(rows, facet.of)
  const values = known.get(service) ?? new Set()
  for (const value of counts.keys()) values.add(value)
  known.set(service, values)
  const sorted = [...values].sort()
  return (
    <Facets
      of={[
        {
          title: facet.title,
          values: sorted.map((value) => [value, isWhole ? counts.get(value) : undefined] as const),
          chosen,
          choose,
        },
      ]}
    />
  )
}
