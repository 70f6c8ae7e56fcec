/** Refuses what is not an array: a `Set` or another iterable has no rows by number, and nothing would be selected. */
export function checkRows(rows: unknown): void {
  if (!Array.isArray(rows)) throw new TypeError('select takes an array of rows')
}
