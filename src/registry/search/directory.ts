import type { ModuleAddress } from '../modules/names.ts'
import { type DirectoryQuery, namesIn } from './query.ts'
import { type Excerpt, type ModuleRow, rowKey } from './row.ts'
import { rowIndex } from './row-index.ts'
import { textIndex } from './text-index.ts'

/**
 * Every listed module in this process, ready for lists at any depth and for searches.
 */
export interface ModuleDirectory {
  /** Puts a module in, or in place of the one at the same address. */
  readonly put: (row: ModuleRow) => void
  /** Removes the module at an address; no-op if there is none. */
  readonly remove: (address: ModuleAddress) => void
  /** The module at an address; case-insensitive. */
  readonly get: (address: ModuleAddress) => ModuleRow | undefined
  /** Modules in order of namespace, name and provider. */
  readonly list: (query: DirectoryQuery, offset: number, limit: number) => Excerpt<ModuleRow>
  /** Modules that every term of `text` meets, best first; see {@link searchPoints}. */
  readonly search: (text: string, query: DirectoryQuery, offset: number, limit: number) => Excerpt<ModuleRow>
  /** Every provider's module of one name, in order of provider. */
  readonly group: (namespace: string, name: string) => readonly ModuleRow[]
}

/**
 * Creates an empty {@link ModuleDirectory}.
 *
 * @example
 * ```ts
 * import { moduleDirectory } from 'plinth/registry'
 *
 * const directory = moduleDirectory()
 * directory.put({
 *   id: 'm1', namespace: 'acme', name: 'vpc', provider: 'aws', owner: 'ada', description: 'A private network',
 *   source: '', verified: false, version: '1.0.0', publishedMicros: 0, downloads: 7,
 * })
 * directory.search('priv net', {}, 0, 10).total // 1
 * ```
 */
export const moduleDirectory = (): ModuleDirectory => directoryInSteps()

/** A {@link ModuleDirectory} that can be made ready in slices. */
export function directoryInSteps(): ModuleDirectory & {
  /** Prepares the structures of the first search, in steps; do not put or remove between the steps. */
  readonly settling: () => Iterable<void>
} {
  const lists = rowIndex()
  const texts = textIndex()
  const rowsOf = (keys: readonly string[]): readonly ModuleRow[] => keys.map(texts.at)

  return {
    put: (row) => {
      const key = rowKey(row)
      const before = texts.get(key)
      // Only the flag changes the lists of a row: its address determines its place on each.
      if (before && before.verified !== row.verified) lists.remove(key, before)
      if (!before || before.verified !== row.verified) lists.put(key, row)
      texts.put(key, row)
    },
    remove: (address) => {
      const key = rowKey(address)
      const row = texts.get(key)
      if (!row) return
      lists.remove(key, row)
      texts.remove(key)
    },
    get: (address) => texts.get(rowKey(address)),
    list: (query, offset, limit) => {
      const { verified } = query
      const visible = namesIn(query.visible)
      const named = namesIn(query.namespace)
      const providers = namesIn(query.provider) ?? [undefined]
      const keys: string[] = []
      let total = 0
      // Lists are in order of their namespaces.
      for (const namespace of named ?? visible ?? [undefined]) {
        if (visible && namespace !== undefined && !visible.includes(namespace)) continue
        const filters = providers.map((provider) => ({ namespace, provider, verified }))
        const count = lists.count(filters)
        const from = Math.max(0, offset - total)
        if (from < count && keys.length < limit)
          keys.push(...lists.slice(filters, from, from + limit - keys.length))
        total += count
      }
      return { rows: rowsOf(keys), total }
    },
    search: (text, query, offset, limit) => texts.search(text, query, offset, limit),
    group: (namespace, name) => rowsOf(lists.group(namespace, name)),
    settling: () => texts.settling(),
  }
}
