import { useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Column } from './column.ts'
import { Icon } from './icon.tsx'
import { directionOf, isSortable, nextSorting, type Sorting, sorted } from './sorting.ts'

/** The order of a table that is kept elsewhere, with rows that have it already. */
export interface KeptSorting {
  readonly sorting: Sorting
  readonly sort: (sorting: Sorting) => void
}

const rowHeight = 40
/** The number of rendered rows beyond the visible ones. */
const margin = 12
/** Lists longer than this render visible rows only. */
const manyRows = 100

interface RowsProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Called with the range of visible rows. */
  readonly onView?: ((first: number, last: number) => void) | undefined
  readonly kept?: KeptSorting | undefined
}

/** A table of any length, which its columns sort: of a long one only the rows in view are rendered. */
export function Rows<Row>({ label, columns, rows: given, keyOf, onView, kept }: RowsProps<Row>) {
  const own = useSignal<Sorting>('')
  const { sorting, sort } = kept ?? {
    sorting: own.value,
    sort: (next: Sorting) => {
      own.value = next
    },
  }
  const rows = useMemo(
    () => (kept ? given : sorted(given, columns, sorting)),
    [given, kept === undefined, sorting],
  )
  const { box, first, shown } = useRowsInView(rows, onView)
  const after = rows.length - first - shown.length
  return (
    <div class="rows" ref={box}>
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading
                key={column.title}
                column={column}
                direction={directionOf(column.title, sorting)}
                sort={isSortable(column, shown) ? () => sort(nextSorting(column.title, sorting)) : undefined}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Space height={first * rowHeight} columns={columns.length} />}
          {shown.map((row, at) => (
            <tr key={keyOf(row)} aria-rowindex={first + at + 2}>
              {columns.map(({ title, cell, isNumber, isMinor }) => (
                <td key={title} class={classOf(isNumber, isMinor)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {after > 0 && <Space height={after * rowHeight} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  )
}

/** The rows to render: all of a short list, of a long one those in view. */
function useRowsInView<Row>(rows: readonly Row[], onView: RowsProps<Row>['onView']) {
  const box = useRef<HTMLDivElement>(null)
  const seen = useSignal({ first: 0, count: 60 })
  useLayoutEffect(() => {
    const look = () => {
      const { current } = box
      if (!current) return
      const above = Math.max(0, -current.getBoundingClientRect().top)
      const first = Math.max(0, Math.floor(above / rowHeight) - margin)
      const count = Math.ceil(innerHeight / rowHeight) + 2 * margin
      if (first === seen.peek().first && count === seen.peek().count) return
      seen.value = { first, count }
      onView?.(first, first + count)
    }
    look()
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    // A scroll event waits for the next frame. Moving the focus renders the next rows before another key is pressed.
    addEventListener('focusin', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
      removeEventListener('focusin', look)
    }
  }, [onView])
  const isLong = rows.length > manyRows
  const first = isLong ? Math.min(seen.value.first, Math.max(0, rows.length - seen.value.count)) : 0
  return { box, first, shown: isLong ? rows.slice(first, first + seen.value.count) : rows }
}

/** The title of a column: a button if it sorts. */
function Heading<Row>({
  column: { title, isNumber, isMinor },
  direction,
  sort,
}: {
  readonly column: Column<Row>
  readonly direction: 'ascending' | 'descending' | 'none'
  readonly sort: (() => void) | undefined
}) {
  return (
    <th
      scope="col"
      class={classOf(isNumber, isMinor)}
      aria-sort={sort && direction !== 'none' ? direction : undefined}
    >
      {sort ? (
        <button type="button" class="sort" onClick={sort}>
          {title}
          {direction !== 'none' && <Icon name={direction} />}
        </button>
      ) : (
        title
      )}
    </th>
  )
}

const classOf = (isNumber?: boolean, isMinor?: boolean): string | undefined =>
  [isNumber && 'number', isMinor && 'minor'].filter(Boolean).join(' ') || undefined

const Space = ({ height, columns }: { readonly height: number; readonly columns: number }) => (
  <tr class="space" style={{ height: `${height}px` }}>
    <td colSpan={columns} />
  </tr>
)
