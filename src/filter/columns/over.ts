import type { Expression } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Context } from '../evaluating/context.ts'
import { selectorClosure } from '../evaluating/selector-closure.ts'
import { isDate } from '../kinds/realms.ts'
import { anyShape } from '../kinds/shape.ts'
import { type Bits, bitsFor, countBits, firstBit, forEachBit, hasBit, lowest, ones, setBit } from './bits.ts'
import { facetPath } from './facet-path.ts'
import { Table } from './table.ts'

/**
 * The rows of a table that match a filter, kept current through edits. Queries throw like {@link Filter.select}: the
 * error of the first row for which the filter throws.
 *
 * A row that changes other than through `update` is not noticed.
 */
export interface FilteredRows<Row> {
  /** The matching rows, in order. */
  readonly select: () => Row[]
  /** The number of matching rows. */
  readonly count: () => number
  /** A page of the matching rows, and their total number. By default the page has all rows. */
  readonly page: (options?: PageOptions) => { readonly rows: Row[]; readonly total: number }
  /**
   * How many of the matching rows have each value of a field, the most frequent first. A list counts each of its
   * distinct items once; a `Date` counts as its RFC 3339 string; a row without the field, or with a map or struct, is
   * not counted.
   *
   * @param path - as in an expression: `Status`, `Meta.team`, `Disks.Kind`
   */
  readonly facet: (path: string) => Map<FacetValue, number>
  /** Appends a row. */
  readonly insert: (row: Row) => void
  /**
   * Replaces a row by another, or by itself once it has changed.
   *
   * @returns `false` if no row is `previous`; then nothing changes
   */
  readonly update: (row: Row, previous: Row) => boolean
  /**
   * Removes a row once: the first, if it occurs twice.
   *
   * @returns `false` if the row is not in the table
   */
  readonly remove: (row: Row) => boolean
}

/**
 * The values to count in {@link FilteredRows.facet}.
 */
export type FacetValue = string | number | bigint | boolean | null

/**
 * A page of the matching rows.
 */
export interface PageOptions {
  /** How many to skip; 0 by default. */
  readonly offset?: number | undefined
  /** The maximum number; all by default. */
  readonly limit?: number | undefined
}

/** The parts of a filter that batch evaluation uses. */
export interface Asking {
  readonly ast: Expression
  readonly test: (row: never) => boolean
  /** Throws where parameters have no values. */
  readonly context: () => Context
}

/** A table that may answer faster than by testing each row. */
export interface Scanner {
  /** The slots that match, and those that throw; `undefined` if columns do not help. */
  readonly scan?: (asking: Asking) => Scanned | undefined
  /** How often each value occurs in some slots; removes the slots that it cannot count. */
  readonly tally?: (
    keys: readonly string[],
    slots: Bits,
    add: (value: unknown, rows: number) => void,
  ) => Bits | undefined
}

export interface Scanned {
  readonly passing: Bits
  readonly failing: Bits | undefined
}

/** The rows of an array or of shared columns, as a filter sees them. */
export function overRows<Row>(given: readonly Row[] | object, asking: Asking): FilteredRows<Row> {
  if (given instanceof Table) return new Over<Row>(asking, given)
  if (Array.isArray(given)) return new Over<Row>(asking, new Table<Row>(given))
  throw new TypeError('over takes an array of rows, or a result of columns()')
}

class Over<Row> implements FilteredRows<Row> {
  readonly #table: Table<Row> & Scanner
  readonly #asking: Asking
  readonly #test: (row: Row) => boolean
  #passing: Bits = bitsFor(0)
  #total = 0
  #version = -1
  /** The first slot for which the filter throws. */
  #failing = -1

  constructor(asking: Asking, table: Table<Row>) {
    this.#table = table
    this.#asking = asking
    this.#test = asking.test as (row: Row) => boolean // the filter's row type
  }

  select(): Row[] {
    return this.#rows(0, this.count())
  }

  count(): number {
    this.#refresh()
    return this.#total
  }

  page(options: PageOptions = {}): { rows: Row[]; total: number } {
    const known = { offset: 0, limit: Number.MAX_SAFE_INTEGER }
    for (const [name, value] of Object.entries(options)) {
      if (!Object.hasOwn(known, name)) throw new TypeError(`page has no option ${name}: it has limit, offset`)
      if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
        throw new TypeError(`${name} is a whole number from 0, not ${String(value)}`)
    }
    const { offset = known.offset, limit = known.limit } = options
    const total = this.count()
    return { rows: this.#rows(offset, Math.min(limit, total - offset)), total }
  }

  facet(path: string): Map<FacetValue, number> {
    const context = this.#asking.context()
    const selector = facetPath(path, context)
    this.#refresh()
    const counts = new Map<FacetValue, number>()
    const add = (value: unknown, rows: number): void => {
      const key = facetValue(value)
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + rows)
    }
    const addItems = (value: unknown, rows: number): void => {
      if (Array.isArray(value)) for (const item of new Set(value.map(facetValue))) add(item, rows)
      else add(value, rows)
    }
    const rest = this.#table.tally?.(selector.path, this.#passing, addItems) ?? this.#passing
    let found: unknown[] = []
    const find = selectorClosure(
      selector,
      (value) => {
        found.push(value)
        return false
      },
      false,
      { ...context, shape: anyShape, unknown: undefined },
      undefined,
    )
    forEachBit(rest, (slot) => {
      found = []
      try {
        context.work.begin()
        find(this.#table.rows[slot])
      } catch (error) {
        // A row without the field is not counted; neither are values found before an error.
        if (!(error instanceof FilterError) || error.kind === 'limit') throw error
        return
      }
      addItems(found.length === 1 ? found[0] : found.flat(), 1)
    })
    return new Map([...counts].sort(([, a], [, b]) => b - a))
  }

  insert(row: Row): void {
    this.#table.insert(row)
  }

  update(row: Row, previous: Row): boolean {
    return this.#table.update(row, previous)
  }

  remove(row: Row): boolean {
    return this.#table.remove(row)
  }

  /** Tests what was edited since the last query; throws the error of the first row that has one. */
  #refresh(): void {
    const { version } = this.#table
    // A comparison with the clock cannot be cached.
    const moves = /\bnow\b/.test(this.#asking.context().source)
    if (this.#version !== version || moves) {
      const edits = this.#version < 0 || moves ? undefined : this.#table.editsSince(this.#version)
      // Unless a row throws, all rows have been tested.
      if (edits === undefined || this.#failing >= 0) this.#lookAtAll()
      else this.#lookAt(edits)
      this.#version = version
    }
    if (this.#failing < 0) return
    // The error is thrown again, with the stack of this call.
    this.#test(this.#table.rows[this.#failing] as Row)
    // The row that threw has changed.
    this.#lookAtAll()
    if (this.#failing >= 0) this.#refresh()
  }

  #lookAtAll(): void {
    const { rows } = this.#table
    const scanned = this.#table.scan?.(this.#asking)
    if (scanned === undefined) {
      this.#passing = bitsFor(rows.length)
      this.#failing = -1
      for (let slot = 0; slot < rows.length && this.#failing < 0; slot += 1) this.#lookAtOne(slot)
    } else {
      this.#passing = scanned.passing
      this.#failing = scanned.failing === undefined ? -1 : firstBit(scanned.failing)
    }
    this.#total = countBits(this.#passing)
  }

  #lookAt(edits: readonly number[]): void {
    const words = (this.#table.rows.length + 31) >>> 5
    if (words > this.#passing.length) {
      const grown = new Uint32Array(words + (words >>> 2))
      grown.set(this.#passing)
      this.#passing = grown
    }
    for (const slot of new Set([...edits].sort((a, b) => a - b))) {
      const was = hasBit(this.#passing, slot)
      this.#lookAtOne(slot)
      if (this.#failing >= 0) return
      this.#total += Number(hasBit(this.#passing, slot)) - Number(was)
    }
  }

  #lookAtOne(slot: number): void {
    try {
      const passes = !this.#table.isEmpty(slot) && this.#test(this.#table.rows[slot] as Row)
      setBit(this.#passing, slot, passes)
    } catch {
      this.#failing = slot
    }
  }

  #rows(offset: number, limit: number): Row[] {
    const { rows } = this.#table
    const found: Row[] = []
    let before = 0
    for (let at = 0; at < this.#passing.length && found.length < limit; at += 1) {
      let word = this.#passing[at] ?? 0
      const inWord = ones(word)
      if (before + inWord <= offset) {
        before += inWord
        continue
      }
      for (; word !== 0 && found.length < limit; word &= word - 1) {
        if (before >= offset) found.push(rows[at * 32 + lowest(word)] as Row)
        before += 1
      }
    }
    return found
  }
}

function facetValue(value: unknown): FacetValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value
    default:
      if (value === null) return null
      return isDate(value) && !Number.isNaN(+value) ? value.toISOString() : undefined
  }
}
