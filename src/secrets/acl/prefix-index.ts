/**
 * Finds the longest of many prefixes of a text, with as many comparisons as a binary search.
 */
export interface PrefixIndex<T> {
  /** Returns the value of the longest prefix of the text. */
  readonly longest: (text: string) => T | undefined
}

interface Row<T> {
  readonly prefix: string
  readonly value: T
  /** The longest other prefix that is a prefix of this one. */
  readonly outer: Row<T> | undefined
}

/** Builds the index of a map from prefix to value. */
export function prefixIndex<T>(values: ReadonlyMap<string, T>): PrefixIndex<T> {
  const rows: Row<T>[] = []
  for (const [prefix, value] of [...values].sort(([a], [b]) => (a < b ? -1 : 1))) {
    let outer = rows.at(-1)
    while (outer && !prefix.startsWith(outer.prefix)) outer = outer.outer
    rows.push({ prefix, value, outer })
  }
  return {
    longest: (text) => {
      let low = 0
      let high = rows.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((rows[middle]?.prefix ?? '') <= text) low = middle + 1
        else high = middle
      }
      // All rows that sort between a prefix of the text and the text itself begin with that prefix, so the answer is
      // the row before the text or one of the rows around it.
      let row = rows[low - 1]
      while (row && !text.startsWith(row.prefix)) row = row.outer
      return row?.value
    },
  }
}
