import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Problem as ServiceProblem } from '../data/call.ts'
import { type CursorList, type ReadPage, useCursorList } from '../data/cursor-list.ts'
import { useQuery } from '../data/query.ts'
import type { ServiceName } from '../data/services.ts'
import type { Column } from './column.ts'
import { Problem } from './problem.tsx'
import { Rows } from './rows.tsx'
import { sorted } from './sorting.ts'

/** Rows that are read to sort a list whose service does not. */
const mostSorted = 5000

/** What a list and the parts above it know. */
export type Shown<Row> = Pick<CursorList<Row>, 'rows' | 'isWhole' | 'isCurrent' | 'problem'>

interface ListProps<Row> {
  readonly title: string
  readonly noun: readonly [one: string, more: string]
  readonly service: ServiceName
  readonly columns: (shown: Shown<Row>) => readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  readonly read: ReadPage<Row>
  /** What the rows depend on. */
  readonly inputs: readonly unknown[]
  /** The columns that the service sorts by: each title with the service's name of it. */
  readonly serverOrders?: Readonly<Record<string, string>>
  /** The minimum number of rows to read, even when fewer are in view. */
  readonly atLeast?: number
  /** Whether a part above the rows shows this problem. */
  readonly isShownAbove?: (problem: ServiceProblem) => boolean
  readonly above: (shown: Shown<Row>) => ComponentChildren
  /** Instead of the rows, if there are none. */
  readonly empty: ComponentChildren
}

/** A list of a service, page by page: its order is in the URL, `above` holds what selects its rows. */
export function List<Row>(props: ListProps<Row>) {
  const { noun, service, inputs, serverOrders = {}, atLeast = 0, isShownAbove, above, empty } = props
  const { query, change } = useQuery()
  const sorting = query['sort'] ?? ''
  const isSortedHere = sorting !== '' && serverOrders[sorting.replace(/^-/, '')] === undefined
  const list = useCursorList(
    props.read,
    isSortedHere ? inputs : [...inputs, sorting],
    isSortedHere ? mostSorted : atLeast,
  )
  const { rows, isWhole, problem, onView } = list
  const columns = props.columns(list)
  const inOrder = useMemo(
    () => rows && (isSortedHere && isWhole ? sorted(rows, columns, sorting) : rows),
    [rows, isWhole, sorting],
  )
  const count = rows?.length ?? 0
  return (
    <>
      {above(list)}
      {problem && !isShownAbove?.(problem) && <Problem problem={problem} service={service} />}
      {rows && count > 0 && (
        <p class="muted" role="status">
          {count.toLocaleString('en')}
          {isWhole ? '' : ' or more'} {noun[count === 1 ? 0 : 1]}
          {isSortedHere &&
            !isWhole &&
            (count >= mostSorted
              ? `. Only lists of up to ${mostSorted.toLocaleString('en')} rows are sorted: filter this one first.`
              : '. Reading the others to sort them …')}
        </p>
      )}
      {inOrder && count > 0 && (
        <Rows
          label={props.title}
          columns={columns}
          rows={inOrder}
          keyOf={props.keyOf}
          onView={onView}
          kept={{ sorting, sort: (next) => change({ sort: next }) }}
        />
      )}
      {rows && count === 0 && <p class="empty">{empty}</p>}
    </>
  )
}
