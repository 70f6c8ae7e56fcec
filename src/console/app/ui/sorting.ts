import type { Column } from './column.ts'

/** A column's title, with a minus sign in front for the descending order; empty for the order of the service. */
export type Sorting = string

const collator = new Intl.Collator('en', { numeric: true })

/** What a column sorts a row by; columns whose cells are neither texts nor numbers declare it. */
function keyOf<Row>({ by, cell }: Column<Row>, row: Row): string | number | undefined {
  const key = by ? by(row) : cell(row)
  return typeof key === 'string' || typeof key === 'number' ? key : undefined
}

export const isSortable = <Row>(column: Column<Row>, rows: readonly Row[]): boolean =>
  rows.some((row) => keyOf(column, row) !== undefined)

/** How a column takes part in an order, as `aria-sort` says it. */
export const directionOf = (title: string, sorting: Sorting): 'ascending' | 'descending' | 'none' =>
  sorting === title ? 'ascending' : sorting === `-${title}` ? 'descending' : 'none'

/** The order after a press of a column's button: ascending, descending, that of the service. */
export function nextSorting(title: string, sorting: Sorting): Sorting {
  const direction = directionOf(title, sorting)
  return direction === 'none' ? title : direction === 'ascending' ? `-${title}` : ''
}

/** The rows in an order; those without a value for it come last. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting,
): readonly Row[] {
  const column = columns.find(({ title }) => directionOf(title, sorting) !== 'none')
  if (!column) return rows
  const sign = sorting.startsWith('-') ? -1 : 1
  const keyed = rows.map((row) => ({ row, key: keyOf(column, row) }))
  const compare = (a: string | number, b: string | number) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))
  return keyed
    .sort((a, b) => {
      if (a.key === undefined || b.key === undefined)
        return Number(a.key === undefined) - Number(b.key === undefined)
      return sign * compare(a.key, b.key)
    })
    .map(({ row }) => row)
}
