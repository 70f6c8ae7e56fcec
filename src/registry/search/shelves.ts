import { foldName } from '../modules/names.ts'
import { type ModuleRow, rowKey } from './row.ts'

/**
 * What a list is limited to; names match whatever their case.
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

interface Shelved {
  readonly key: string
  readonly row: ModuleRow
}

/**
 * Rows in address order, once for every combination of filters, so that any page of any list is one slice: 8 sorted
 * arrays hold each row, and putting one in costs a binary search and a `splice` on each.
 */
export function shelves() {
  const byName = new Map<string, Shelved[]>()

  const put = (key: string, row: ModuleRow): void => {
    const shelved = { key, row }
    for (const name of shelfNames(row)) {
      const shelf = byName.get(name)
      if (!shelf) byName.set(name, [shelved])
      else {
        const at = position(shelf, key)
        shelf.splice(at, shelf[at]?.key === key ? 1 : 0, shelved)
      }
    }
  }
  const remove = (key: string, row: ModuleRow): void => {
    for (const name of shelfNames(row)) {
      const shelf = byName.get(name) ?? []
      const at = position(shelf, key)
      if (shelf[at]?.key === key) shelf.splice(at, 1)
      if (shelf.length === 0) byName.delete(name)
    }
  }
  return {
    put,
    remove,
    /** How many rows pass the filter. */
    count: (filter: RowFilter): number => byName.get(shelfName(filter))?.length ?? 0,
    /** Rows `start` to `end` (exclusive) of those that pass the filter. */
    slice: (filter: RowFilter, start: number, end: number): readonly ModuleRow[] =>
      (byName.get(shelfName(filter)) ?? []).slice(start, end).map(({ row }) => row),
    /** Every provider's row of one module name, in order of provider. */
    group: (namespace: string, name: string): readonly ModuleRow[] => {
      const shelf = byName.get(shelfName({ namespace })) ?? []
      const prefix = rowKey({ namespace, name, provider: '' })
      const rows: ModuleRow[] = []
      for (let at = position(shelf, prefix); shelf[at]?.key.startsWith(prefix); at += 1) {
        const row = shelf[at]?.row
        if (row) rows.push(row)
      }
      return rows
    },
  }
}

const shelfName = ({ namespace, provider, verified }: RowFilter): string =>
  nameOf(namespace && foldName(namespace), provider && foldName(provider), verified === true)

const nameOf = (namespace: string | undefined, provider: string | undefined, verified: boolean): string =>
  `${namespace ?? '*'}/${provider ?? '*'}/${verified}`

/** Every shelf a row stands on. */
function shelfNames(row: ModuleRow): readonly string[] {
  const [foldedNamespace, foldedProvider] = [foldName(row.namespace), foldName(row.provider)]
  const names: string[] = []
  for (const namespace of [undefined, foldedNamespace])
    for (const provider of [undefined, foldedProvider]) {
      names.push(nameOf(namespace, provider, false))
      if (row.verified) names.push(nameOf(namespace, provider, true))
    }
  return names
}

/** The first place whose key is not below the given one; appending in order costs one comparison. */
function position(shelf: readonly Shelved[], key: string): number {
  let low = 0
  let high = shelf.length
  if (high > 0 && (shelf[high - 1]?.key ?? '') < key) return high
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((shelf[middle]?.key ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}
