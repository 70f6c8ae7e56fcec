import type { Collection, Stored } from '../port/collection.ts'
import { StoreError } from '../port/errors.ts'
import { compareKeys, isMark, markOf, type Part, prefixOf, shown } from '../port/keys.ts'
import { type Commit, type Entry, type Json, limits, type Rev, type Snapshot } from '../port/port.ts'
import { hasValue } from '../replica/read-values.ts'
import type { Replica } from '../replica/replica.ts'

/**
 * The reads and writes of a decision. Every read comes from one snapshot and becomes an expectation of the commit;
 * reads see the writes before them. `Held` is a union of the records that may be read: those of collections that the
 * replica holds, if its service declares them.
 */
export interface Tx<Held = unknown> {
  /** The snapshot decided on; reading it directly expects nothing. */
  readonly now: Snapshot
  /** One record. */
  get<T extends Held>(from: Collection<T>, ...key: readonly Part[]): Stored<T> | undefined
  /** One record by its whole key, as indexes and unique values hold it. */
  at<T extends Held>(from: Collection<T>, key: string): Stored<T> | undefined
  /** The record that holds a unique value. */
  find<T extends Held>(from: Collection<T>, index: string, ...value: readonly Part[]): Stored<T> | undefined
  /**
   * The records whose key begins with `prefix`. Expects the mark of `scope`, so that no record in it may be added,
   * deleted or changed concurrently: only for decisions that depend on the whole list.
   */
  list<T extends Held>(from: Collection<T>, scope: readonly Part[], ...prefix: readonly Part[]): Stored<T>[]
  /** Writes a record, its unique values, indexes and marks. Writing the very object that is stored does nothing. */
  put<T>(into: Collection<T>, record: T): void
  /**
   * Deletes a record and its unique values and indexes; false if it did not exist. Outside the replica, where its
   * existence is unknown, it returns true; only collections without other keys are deleted this way.
   */
  delete<T>(from: Collection<T>, ...key: readonly Part[]): boolean
  /** Raises a mark: a table's name and the scope's parts. */
  touch(table: string, ...scope: readonly Part[]): void
  /**
   * Expects that a mark was not raised: the guard of a decision that depends on the records in its scope.
   *
   * @returns the mark's revision; 0 if it was never raised, so that there are no records
   */
  guard(table: string, ...scope: readonly Part[]): Rev
}

/** One attempt at a decision: its reads, and its intended writes. */
export class Transaction implements Tx {
  readonly now: Snapshot
  readonly #view: Replica
  readonly #loaded: ReadonlyMap<string, Entry | undefined>
  readonly #fetched: ReadonlyMap<string, Entry>
  /** The revisions of the keys read and the marks guarded: the commit expects them unchanged. */
  readonly #seen = new Map<string, Entry | null>()
  /** Keys whose values this decision needs, and that were not read yet. */
  readonly missing = new Set<string>()
  /** The writes: a value, `undefined` for a deletion, `null` for a touched mark. */
  readonly #writes = new Map<string, Json | undefined>()

  /** @param fetched - entries whose values the replica does not hold, as they were read from the store */
  constructor(
    view: Replica,
    now: Snapshot,
    loaded: ReadonlyMap<string, Entry | undefined>,
    fetched: ReadonlyMap<string, Entry>,
  ) {
    this.#view = view
    this.now = now
    this.#loaded = loaded
    this.#fetched = fetched
  }

  get<T>(from: Collection<T>, ...key: readonly Part[]): Stored<T> | undefined {
    return this.at(from, from.keyOf(...key))
  }

  at<T>(from: Collection<T>, key: string): Stored<T> | undefined {
    const entry = this.#read(key)
    return entry === undefined ? undefined : from.stored(entry)
  }

  find<T>(from: Collection<T>, index: string, ...value: readonly Part[]): Stored<T> | undefined {
    const holder = this.#read(from.uniqueKey(index, ...value))?.value
    const entry = typeof holder === 'string' ? this.#read(holder) : undefined
    return entry === undefined ? undefined : from.stored(entry)
  }

  list<T>(from: Collection<T>, scope: readonly Part[], ...prefix: readonly Part[]): Stored<T>[] {
    this.#expectMark(from.markOf(...scope))
    const below = prefixOf(from.name, ...prefix)
    const stored = this.now.scan({ prefix: below }).map((entry) => from.stored(this.#whole(entry)))
    this.#expectAll()
    const rewritten = [...this.#writes].filter(([key]) => key.startsWith(below))
    if (rewritten.length === 0) return stored
    const merged = new Map(stored.map((record) => [record.key, record]))
    for (const [key] of rewritten) {
      const entry = this.#read(key)
      if (entry === undefined) merged.delete(key)
      else merged.set(key, from.stored(entry))
    }
    return [...merged.values()].sort((a, b) => compareKeys(a.key, b.key))
  }

  put<T>(into: Collection<T>, record: T): void {
    const key = into.keyOf(...into.parts(record))
    // Outside the replica the replaced record is unknown, which only collections without other keys allow.
    const before = this.#knows(key) || into.hasKeys ? this.at(into, key) : undefined
    if (before !== undefined && before.value === record) return
    if (into.hasKeys) this.#putKeys(into, key, before?.value, record)
    this.#touchAll(into, before?.value)
    this.#touchAll(into, record)
    // T is the type that the collection's owner wrote there; the store refuses a value that is not JSON at commit.
    this.#writes.set(key, record as Json)
  }

  #putKeys<T>(into: Collection<T>, key: string, before: T | undefined, record: T): void {
    const had = before === undefined ? [] : into.uniqueKeys(before)
    const has = into.uniqueKeys(record)
    for (const unique of has) {
      const holder = this.#read(unique)?.value
      if (holder !== undefined && holder !== key)
        throw new StoreError(
          'unique',
          `another record of ${into.name} holds ${shown(unique)}: check with find() first`,
        )
      if (holder === undefined) this.#writes.set(unique, key)
    }
    for (const unique of had) if (!has.includes(unique)) this.#remove(unique)
    this.#reindex(before === undefined ? [] : into.indexKeys(before), into.indexKeys(record), key)
  }

  delete<T>(from: Collection<T>, ...key: readonly Part[]): boolean {
    const at = from.keyOf(...key)
    if (!this.#knows(at) && !from.hasKeys) {
      this.#writes.set(at, undefined)
      return true
    }
    const entry = this.#read(at)
    if (entry === undefined) return false
    const record = from.stored(entry).value
    for (const unique of from.uniqueKeys(record)) this.#remove(unique)
    this.#reindex(from.indexKeys(record), [], at)
    this.#touchAll(from, record)
    this.#writes.set(at, undefined)
    return true
  }

  touch(table: string, ...scope: readonly Part[]): void {
    this.#writes.set(markOf(table, ...scope), null)
  }

  guard(table: string, ...scope: readonly Part[]): Rev {
    return this.#expectMark(markOf(table, ...scope))
  }

  /** How many keys the decision writes so far. */
  get written(): number {
    return this.#writes.size
  }

  /** The commit of this decision; `undefined` if it writes nothing. */
  commit(newId: () => string): Commit | undefined {
    const written = this.#writes.size
    if (written === 0) return undefined
    if (written > limits.keysPerCommit)
      throw new StoreError(
        'invalid',
        `a commit may write ${limits.keysPerCommit} keys, records, unique values, indexes and marks in total, not ${written}`,
      )
    const put: { key: string; value: Json }[] = []
    const del: string[] = []
    const touch: string[] = []
    for (const [key, value] of this.#writes) {
      if (value === undefined) del.push(key)
      else if (value === null) touch.push(key)
      else put.push({ key, value })
    }
    const expect: { key: string; rev: Rev }[] = []
    for (const [key, entry] of this.#seen) expect.push({ key, rev: entry?.modified ?? 0 })
    return { id: newId(), expect, put, del, touch }
  }

  /** The entry at a key after the writes so far; the first read of a stored one becomes an expectation. */
  #read(key: string): Entry | undefined {
    const stored = this.#see(key)
    const value = this.#writes.get(key)
    if (value !== undefined)
      return { key, value, created: stored?.created ?? 0, modified: stored?.modified ?? 0 }
    return this.#writes.has(key) ? undefined : stored
  }

  #see(key: string): Entry | undefined {
    const known = this.#seen.get(key)
    if (known !== undefined) return known ?? undefined
    const stored = this.#stored(key)
    this.#seen.set(key, stored ?? null)
    return stored
  }

  #stored(key: string): Entry | undefined {
    const held = this.#loaded.has(key) ? this.#loaded.get(key) : this.now.get(key)
    if (held === undefined || hasValue(held)) return held
    const whole = this.#whole(held)
    this.#expectAll()
    return whole
  }

  /** The entry with its value, if the replica holds only its key: one that was read, of the same revision. */
  #whole(held: Entry): Entry {
    if (hasValue(held)) return held
    const read = this.#fetched.get(held.key)
    if (read?.modified === held.modified) return read
    this.missing.add(held.key)
    return held
  }

  /** Aborts the decision if a value is missing: it runs again once that was read. */
  #expectAll(): void {
    if (this.missing.size > 0) throw new StoreError('not_held', 'a value is yet to be read from the store')
  }

  #knows(key: string): boolean {
    return this.#seen.has(key) || this.#view.holds(key) || this.#loaded.has(key) || this.#writes.has(key)
  }

  #remove(key: string): void {
    if (this.#stored(key) === undefined) this.#writes.delete(key)
    else this.#writes.set(key, undefined)
  }

  #reindex(had: readonly string[], has: readonly string[], key: string): void {
    for (const index of had) if (!has.includes(index)) this.#writes.set(index, undefined)
    for (const index of has) if (!had.includes(index)) this.#writes.set(index, key)
  }

  #touchAll<T>(of: Collection<T>, record: T | undefined): void {
    if (record !== undefined) for (const mark of of.marksOf(record)) this.#writes.set(mark, null)
  }

  #expectMark(mark: string): Rev {
    if (!isMark(mark)) throw new StoreError('invalid', `not a mark: ${shown(mark)}`)
    if (!this.#seen.has(mark)) this.#seen.set(mark, this.now.get(mark) ?? null)
    return this.#seen.get(mark)?.modified ?? 0
  }
}
