import { foldName } from '../modules/names.ts'
import { type ModuleRow, rowKey } from './row.ts'

/**
 * The filters of a list; names are case-insensitive.
 *
 * @public
 */
export interface RowFilter {
  /** Only modules of this publisher. */
  readonly namespace?: string | undefined
  /** Only modules for this target system. */
  readonly provider?: string | undefined
  /** `true` limits the list to partner modules; anything else does not limit it. */
  readonly verified?: boolean | undefined
}

interface IndexedRow {
  readonly key: string
  readonly row: ModuleRow
}

/**
 * Rows in address order, once for every combination of filters, so that any page of any list is one slice: 8 sorted
 * arrays hold each row, and putting one in costs a binary search and a `splice` on each.
 */
export function rowIndex() {
  const byKey = new Map<string, IndexedRow[]>()

  const put = (key: string, row: ModuleRow): void => {
    const indexed = { key, row }
    for (const name of listKeys(row)) {
      const list = byKey.get(name)
      if (!list) byKey.set(name, [indexed])
      else {
        const at = position(list, key)
        list.splice(at, list[at]?.key === key ? 1 : 0, indexed)
      }
    }
  }
  const remove = (key: string, row: ModuleRow): void => {
    for (const name of listKeys(row)) {
      const list = byKey.get(name) ?? []
      const at = position(list, key)
      if (list[at]?.key === key) list.splice(at, 1)
      if (list.length === 0) byKey.delete(name)
    }
  }
  return {
    put,
    remove,
    /** How many rows pass the filter. */
    count: (filter: RowFilter): number => byKey.get(listKey(filter))?.length ?? 0,
    /** Rows `start` to `end` (exclusive) of those that pass the filter. */
    slice: (filter: RowFilter, start: number, end: number): readonly ModuleRow[] =>
      (byKey.get(listKey(filter)) ?? []).slice(start, end).map(({ row }) => row),
    /** Every provider's row of one module name, in order of provider. */
    group: (namespace: string, name: string): readonly ModuleRow[] => {
      const list = byKey.get(listKey({ namespace })) ?? []
      const prefix = rowKey({ namespace, name, provider: '' })
      const rows: ModuleRow[] = []
      for (let at = position(list, prefix); list[at]?.key.startsWith(prefix); at += 1) {
        const row = list[at]?.row
        if (row) rows.push(row)
      }
      return rows
    },
  }
}

const listKey = ({ namespace, provider, verified }: RowFilter): string =>
  keyFor(namespace && foldName(namespace), provider && foldName(provider), verified === true)

const keyFor = (namespace: string | undefined, provider: string | undefined, verified: boolean): string =>
  `${namespace ?? '*'}/${provider ?? '*'}/${verified}`

/** The keys of all lists that hold a row. */
function listKeys(row: ModuleRow): readonly string[] {
  const [foldedNamespace, foldedProvider] = [foldName(row.namespace), foldName(row.provider)]
  const names: string[] = []
  for (const namespace of [undefined, foldedNamespace])
    for (const provider of [undefined, foldedProvider]) {
      names.push(keyFor(namespace, provider, false))
      if (row.verified) names.push(keyFor(namespace, provider, true))
    }
  return names
}

/** The first place whose key is not below the given one; appending in order costs one comparison. */
function position(list: readonly IndexedRow[], key: string): number {
  let low = 0
  let high = list.length
  if (high > 0 && (list[high - 1]?.key ?? '') < key) return high
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle]?.key ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}
