import type { ComponentChildren } from 'preact'

/** A column of a table of rows. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** What the column sorts by, if its cells are neither texts nor numbers. */
  readonly by?: (row: Row) => string | number
  /** Numbers are right-aligned. */
  readonly isNumber?: boolean
  /** Omitted in narrow windows. */
  readonly isMinor?: boolean
}
