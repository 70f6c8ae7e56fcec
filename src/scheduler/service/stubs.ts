import { recent } from '../recent.ts'

/** How the rows of a list are shown: as objects, and as the JSON text of these. */
export interface Shown<Row, Stub> {
  readonly show: (row: Row) => Stub
  /** Remembers the text of the rows shown most recently: none is made again until something about its row changes. */
  readonly text: (row: Row) => string
}

/** How the rows of one kind of list are shown, by what they show beside the usual. */
export function stubsOf<Row extends object, Fields extends object, Stub>(
  make: (row: Row, fields: Fields) => Stub,
): (fields: Fields) => Shown<Row, Stub> {
  const byFields = new Map<string, Shown<Row, Stub>>()
  return (fields) => {
    // Yes and no in a few places: there are never many.
    const key = JSON.stringify(fields)
    let shown = byFields.get(key)
    if (shown === undefined) {
      const show = (row: Row) => make(row, fields)
      shown = { show, text: recent((row: Row) => JSON.stringify(show(row))) }
      byFields.set(key, shown)
    }
    return shown
  }
}
