import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers are right-aligned. */
  readonly isNumber?: boolean
  /** Omitted in narrow windows. */
  readonly isMinor?: boolean
}

const rowHeight = 40
/** The number of rendered rows beyond the visible ones. */
const margin = 12
/** Lists longer than this render visible rows only. */
const manyRows = 100

/** A table of any length: of a long one only the rows in view are rendered. */
export function Rows<Row>({
  label,
  columns,
  rows,
  keyOf,
  onView,
}: {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Called with the range of visible rows. */
  readonly onView?: ((first: number, last: number) => void) | undefined
}) {
  const box = useRef<HTMLDivElement>(null)
  const seen = useSignal({ first: 0, count: 60 })
  const isLong = rows.length > manyRows
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
  const first = isLong ? Math.min(seen.value.first, Math.max(0, rows.length - seen.value.count)) : 0
  const shown = isLong ? rows.slice(first, first + seen.value.count) : rows
  const after = rows.length - first - shown.length
  return (
    <div class="rows" ref={box}>
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber, isMinor }) => (
              <th key={title} scope="col" class={classOf(isNumber, isMinor)}>
                {title}
              </th>
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

const classOf = (isNumber?: boolean, isMinor?: boolean): string | undefined =>
  [isNumber && 'number', isMinor && 'minor'].filter(Boolean).join(' ') || undefined

const Space = ({ height, columns }: { readonly height: number; readonly columns: number }) => (
  <tr class="space" style={{ height: `${height}px` }}>
    <td colSpan={columns} />
  </tr>
)
