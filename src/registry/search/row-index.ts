import { foldName } from '../modules/names.ts'
import { type ModuleRow, rowKey } from './row.ts'

/** The filter of one list; names are case-insensitive. */
export interface RowFilter {
  readonly namespace?: string | undefined
  readonly provider?: string | undefined
  readonly verified?: boolean | undefined
}

/**
 * The keys of rows in address order, once for every combination of filters, so that any page of any list is one slice:
 * 4 sorted arrays hold each key, 8 that of a verified module, and putting one in costs a binary search and a `splice` on
 * each.
 */
export function rowIndex() {
  const lists = new Map<string, string[]>()

  const put = (key: string, row: ModuleRow): void => {
    for (const name of listKeys(row)) {
      const list = lists.get(name)
      if (!list) lists.set(name, [key])
      else {
        const at = position(list, key)
        if (list[at] !== key) list.splice(at, 0, key)
      }
    }
  }
  const remove = (key: string, row: ModuleRow): void => {
    for (const name of listKeys(row)) {
      const list = lists.get(name) ?? []
      const at = position(list, key)
      if (list[at] === key) list.splice(at, 1)
      if (list.length === 0) lists.delete(name)
    }
  }
  return {
    put,
    remove,
    /** How many rows pass one of the filters, which exclude each other. */
    count: (filters: readonly RowFilter[]): number =>
      filters.reduce((total, filter) => total + (lists.get(listKey(filter))?.length ?? 0), 0),
    /** The keys of rows `start` to `end` (exclusive) of those that pass one of the filters. */
    slice: (filters: readonly RowFilter[], start: number, end: number): readonly string[] => {
      const [only, ...others] = filters.map((filter) => lists.get(listKey(filter)) ?? [])
      if (others.length === 0) return only?.slice(start, end) ?? []
      return [only ?? [], ...others]
        .flatMap((list) => list.slice(0, end))
        .sort()
        .slice(start, end)
    },
    /** The keys of every provider's row of one module name, in order of provider. */
    group: (namespace: string, name: string): readonly string[] => {
      const list = lists.get(listKey({ namespace })) ?? []
      const prefix = rowKey({ namespace, name, provider: '' })
      const start = position(list, prefix)
      let end = start
      while (list[end]?.startsWith(prefix)) end += 1
      return list.slice(start, end)
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
function position(list: readonly string[], key: string): number {
  let low = 0
  let high = list.length
  if (high > 0 && (list[high - 1] ?? '') < key) return high
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}
