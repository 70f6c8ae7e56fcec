import { StoreError } from './errors.ts'
import { keyOf, markOf, type Part, prefixOf } from './keys.ts'
import type { Entry, Rev, Snapshot } from './port.ts'

/**
 * A record with the commits that created it and last wrote it.
 */
export interface Stored<T> {
  readonly key: string
  /** The record, frozen. */
  readonly value: T
  readonly created: Rev
  readonly modified: Rev
}

/**
 * Options of {@link collection}: how the records of one kind are stored.
 */
export interface CollectionOptions<T> {
  /** The key prefix; without `~`, `#` and `!`. */
  readonly name: string
  /** The parts of a record's key, which also order the collection. */
  key(record: T): readonly Part[]
  /**
   * The scopes whose marks are raised by every put and delete of the record, for its old and its new form. `[]` is the
   * whole table, which is the default; `() => []` raises none.
   */
  scopes?(record: T): readonly (readonly Part[])[]
  /** Unique values; `undefined` claims none. */
  readonly unique?: Readonly<Record<string, (record: T) => readonly Part[] | undefined>> | undefined
  /** Other orders kept in the store. Only for collections that no replica holds; others use a `table`. */
  readonly indexes?: Readonly<Record<string, (record: T) => readonly Part[] | undefined>> | undefined
  /** Reads a record that an earlier version of the program wrote; returns others as they are. */
  readonly upgrade?: ((record: T) => T) | undefined
  /**
   * What a replica holds of the records: all of them (`'held'`, the default), or only their keys and revisions, while a
   * record is read from the store when a decision needs it (`'read'`). The latter is for collections that may outgrow a
   * process: a record takes some 0.2 kB there, however large it is. Lists and tables of records need them held.
   */
  readonly values?: 'held' | 'read' | undefined
}

/**
 * The records of one kind: their keys, and how they are read from a snapshot.
 */
export interface Collection<T> {
  readonly name: string
  /** The prefix of exactly this collection's records. */
  readonly prefix: string
  /** The prefixes that a replica needs to read and write the collection; marks are always included. */
  readonly prefixes: readonly string[]
  /** Whether its records have unique values or indexes, so that replacing one requires the old one. */
  readonly hasKeys: boolean
  /** Whether a replica holds its records, or reads each when it is needed. */
  readonly values: 'held' | 'read'
  /** The parts of a record's key. */
  parts(record: T): readonly Part[]
  /** The key of the record with these parts. */
  keyOf(...key: readonly Part[]): string
  /** The mark of the whole table, or of a scope in it: a blocking query of the list waits for it. */
  markOf(...scope: readonly Part[]): string
  /** The marks a put or delete of this record raises. */
  marksOf(record: T): readonly string[]
  /** The keys that hold the record's unique values. */
  uniqueKeys(record: T): readonly string[]
  /** The key that holds one unique value; its value is the key of the record. */
  uniqueKey(index: string, ...value: readonly Part[]): string
  /** The keys of the record in the collection's other orders. */
  indexKeys(record: T): readonly string[]
  /** The prefix of one other order, from these values on; each value below it is the key of a record. */
  indexPrefix(index: string, ...value: readonly Part[]): string
  /** One record. */
  get(now: Pick<Snapshot, 'get'>, ...key: readonly Part[]): Stored<T> | undefined
  /** The records whose key begins with these parts, in key order. */
  list(now: Snapshot, ...prefix: readonly Part[]): Stored<T>[]
  /** The record that holds a unique value. */
  find(now: Snapshot, index: string, ...value: readonly Part[]): Stored<T> | undefined
  /** An entry of this collection as a record: for entries read from a store. */
  stored(entry: Entry): Stored<T>
}

/**
 * Declares the records of one kind.
 *
 * @example
 * ```ts
 * import { collection, memoryStore, replica, transact } from 'plinth/store'
 *
 * interface Pool { readonly name: string; readonly description: string }
 * const pools = collection<Pool>({ name: 'pool', key: (pool) => [pool.name] })
 *
 * const view = await replica(memoryStore(), [pools])
 * await transact(view, () => 'commit-1', (tx) => tx.put(pools, { name: 'gpu', description: 'Racks 4 to 6' }))
 * pools.get(view.stale(), 'gpu')?.value.description // 'Racks 4 to 6'
 * ```
 */
export function collection<T>(options: CollectionOptions<T>): Collection<T> {
  const { name, unique = {}, indexes = {} } = options
  if (!/^[^~#!\u0000-\u001f]+$/.test(name))
    throw new StoreError('invalid', `a collection name cannot contain ~, #, ! or control characters: ${name}`)
  const prefix = prefixOf(name)
  const uniques = Object.entries(unique)
  const orders = Object.entries(indexes)
  const wholeTable: readonly string[] = [markOf(name)]
  const { scopes, upgrade } = options

  const self: Collection<T> = {
    name,
    prefix,
    prefixes: uniques.length === 0 ? [prefix] : [prefix, `${name}!`],
    hasKeys: uniques.length + orders.length > 0,
    values: options.values ?? 'held',
    parts: (record) => options.key(record),
    keyOf: (...key) => keyOf(name, ...key),
    markOf: (...scope) => markOf(name, ...scope),
    marksOf: scopes
      ? (record) => scopes.call(options, record).map((scope) => markOf(name, ...scope))
      : () => wholeTable,
    uniqueKeys: (record) =>
      uniques.flatMap(([index, of]) => {
        const value = of(record)
        return value === undefined ? [] : [keyOf(`${name}!${index}`, ...value)]
      }),
    uniqueKey: (index, ...value) => keyOf(`${name}!${index}`, ...value),
    indexKeys: (record) =>
      orders.flatMap(([index, of]) => {
        const value = of(record)
        return value === undefined ? [] : [keyOf(`${name}#${index}`, ...value, ...options.key(record))]
      }),
    indexPrefix: (index, ...value) => prefixOf(`${name}#${index}`, ...value),
    get: (now, ...key) => {
      const entry = now.get(keyOf(name, ...key))
      return entry === undefined ? undefined : self.stored(entry)
    },
    list: (now, ...begin) => now.scan({ prefix: prefixOf(name, ...begin) }).map(self.stored),
    find: (now, index, ...value) => {
      const holder = now.get(self.uniqueKey(index, ...value))?.value
      const entry = typeof holder === 'string' ? now.get(holder) : undefined
      return entry === undefined ? undefined : self.stored(entry)
    },
    // All records below a collection's prefix were written through it: the only place where T is assumed.
    stored:
      upgrade === undefined
        ? (entry) => entry as Entry & Stored<T>
        : (entry) => {
            const stored = entry as Entry & Stored<T>
            const value = upgrade(stored.value)
            return value === stored.value
              ? stored
              : Object.assign({}, stored, { value: Object.freeze(value) })
          },
  }
  return self
}
