import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useQuery } from '../../data/query.ts'
import type { Column } from '../../ui/column.ts'
import { valueIn, withValue } from '../../ui/conditions.ts'
import { Facets, valuesOf } from '../../ui/facets.tsx'
import { FilterBox, mostRowsOf } from '../../ui/filter-box.tsx'
import { List, type Shown } from '../../ui/list.tsx'
import { expressionOf } from '../../ui/plain-words.ts'
import { Explained } from './explained.tsx'
import { readPage } from './list.ts'

/** Rows of a page. */
const perPage = 200

interface FilteredListProps<Row extends object> {
  readonly title: string
  readonly noun: readonly [one: string, more: string]
  /** Where the scheduler lists them. */
  readonly path: string
  /** The fields that name a row: plain words in the filter are searched in them. */
  readonly names: readonly string[]
  /** The fields whose values are offered as conditions: each with its title. */
  readonly facets: Readonly<Record<string, string>>
  /** What appears here, and how. */
  readonly hint: ComponentChildren
  readonly query?: Readonly<Record<string, string>>
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** Content between the filter and the rows. */
  readonly about?: (rows: readonly Row[]) => ComponentChildren
  /** The minimum number of rows to read, even when fewer are in view. */
  readonly atLeast?: number
}

/** A filter for rows like the first, by the field of the first facet. */
const exampleOf = (facets: Readonly<Record<string, string>>, first: object | undefined): string => {
  const [field = 'Status'] = Object.keys(facets)
  return `${field} == "${String(first?.[field as keyof typeof first] ?? 'running')}"`
}

/** A list of the scheduler, live, by the filter in the URL. */
export function FilteredList<Row extends object>(props: FilteredListProps<Row>) {
  const { title, noun, path, names, query = {}, columns, keyOf, about, atLeast = 0 } = props
  const { path: view, query: asked, change } = useQuery()
  const typed = asked['filter'] ?? ''
  const filter = expressionOf(typed, names)
  const explained = useSignal<Row | undefined>(undefined)
  const why = whyColumn(keyOf, (row) => {
    explained.value = row
  })
  return (
    <>
      <List<Row>
        title={title}
        noun={noun}
        service="scheduler"
        columns={({ isCurrent }) => (filter === '' || !isCurrent ? columns : [...columns, why])}
        keyOf={keyOf}
        read={(page) => readPage(path, { ...query, filter }, perPage, page)}
        inputs={[filter]}
        atLeast={atLeast}
        isShownAbove={({ status }) => status === 400}
        above={(shown) => (
          <>
            <FilterBox
              value={typed}
              names={names}
              example={exampleOf(props.facets, shown.rows?.[0])}
              problem={shown.problem?.status === 400 ? shown.problem.message : undefined}
              fields={title}
              rows={shown.rows}
              onChange={(text) => change({ filter: text })}
            />
            <FieldFacets {...props} shown={shown} filter={typed} apply={(text) => change({ filter: text })} />
            {shown.rows && about?.(shown.rows)}
          </>
        )}
        empty={<NoRows noun={noun[1]} hint={props.hint} filter={filter} view={view} />}
      />
      {explained.value && (
        <Explained
          filter={filter}
          row={explained.value}
          name={keyOf(explained.value)}
          close={() => {
            explained.value = undefined
          }}
        />
      )}
    </>
  )
}

/** In place of rows: how the first one comes here, or that none matches. */
const NoRows = ({
  noun,
  hint,
  filter,
  view,
}: {
  readonly noun: string
  readonly hint: ComponentChildren
  readonly filter: string
  readonly view: string
}) =>
  filter === '' ? (
    <>
      No {noun} yet. {hint}
    </>
  ) : (
    <>
      No {noun} match <code>{filter}</code>. <a href={view}>Show all {noun}</a>
    </>
  )

const whyColumn = <Row,>(nameOf: (row: Row) => string, explain: (row: Row) => void): Column<Row> => ({
  title: 'Why',
  cell: (row) => (
    <button type="button" class="quiet" onClick={() => explain(row)}>
      Why<span class="hidden"> is {nameOf(row)} here</span>
    </button>
  ),
})

/** The values of some fields: each writes its condition into the filter. */
function FieldFacets<Row extends object>({
  title,
  facets,
  names,
  shown: { rows = [], isWhole },
  filter,
  apply,
}: Pick<FilteredListProps<Row>, 'title' | 'facets' | 'names'> & {
  readonly shown: Shown<Row>
  readonly filter: string
  readonly apply: (filter: string) => void
}) {
  const read = (field: string) => (row: object) => {
    const value: unknown = Reflect.get(row, field)
    return typeof value === 'string' && value !== '' ? [value] : []
  }
  return (
    <Facets
      of={Object.entries(facets).map(([field, name]) => {
        const counts = valuesOf(rows, read(field))
        const known = new Set([...valuesOf(mostRowsOf(title), read(field)).keys(), ...counts.keys()])
        return {
          title: name,
          values: [...known].sort().map((value) => [value, isWhole ? counts.get(value) : undefined] as const),
          chosen: valueIn(filter, field),
          choose: (value) => apply(withValue(filter, field, value, names)),
        }
      })}
    />
  )
}
