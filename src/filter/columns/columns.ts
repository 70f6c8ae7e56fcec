import { checkOptionNames } from '../../kernel/option-names.ts'
import type { Expression } from '../ast.ts'
import type { Context } from '../evaluating/context.ts'
import { addBits, type Bits, bitsFor, forEachBit, setBit } from './bits.ts'
import { cellOf, Gap } from './cell.ts'
import { Column } from './column.ts'
import type { Asking, Scanned, Scanner } from './over.ts'
import { answersOf, isColumnar, stepsOf } from './scan.ts'
import { Table } from './table.ts'

/**
 * Rows that several filters share, with a column for each field that one of them has used. All of them see an edit made
 * through any of them or through this object.
 */
export interface Columns<Row> {
  /** The number of rows. */
  readonly size: number
  /** Appends a row. */
  readonly insert: (row: Row) => void
  /** Replaces a row; `false` if no row is `previous`. */
  readonly update: (row: Row, previous: Row) => boolean
  /** Removes one occurrence of a row; `false` if there is none. */
  readonly remove: (row: Row) => boolean
}

/**
 * Stores rows by columns, for many queries on the same rows: a dictionary of distinct values and a code per row, so
 * that a filter tests each value once. A column is built when a filter first uses its field, and takes at most 24 bytes
 * a row. Those that were not used for the longest time are dropped beyond `maxBytes`.
 *
 * @param rows - copied; a row is read again only when `update` says that it changed
 * @param options - `maxBytes`: how much memory all columns together may take, about; 64 MiB by default
 * @throws RangeError for a `maxBytes` below 1; TypeError for an unknown option
 *
 * @example
 * ```ts
 * import { columns, compile } from 'plinth/filter'
 *
 * const jobs = columns([
 *   { Name: 'web', Status: 'running' },
 *   { Name: 'db', Status: 'dead' },
 * ])
 * const running = compile('Status == "running"').over(jobs)
 * const named = compile('Name starts with "w"').over(jobs)
 * running.count() // 1
 * jobs.insert({ Name: 'worker', Status: 'running' })
 * running.count() // 2
 * named.select().map(({ Name }) => Name) // ['web', 'worker']
 * ```
 */
export function columns<Row>(
  rows: readonly Row[],
  options: { readonly maxBytes?: number | undefined } = {},
): Columns<Row> {
  if (!Array.isArray(rows)) throw new TypeError('columns takes an array of rows')
  checkOptionNames('columns', options, { maxBytes: true })
  const { maxBytes = usualBytes } = options
  if (!(maxBytes >= 1)) throw new RangeError(`maxBytes is ${maxBytes}: pass 1 or more`)
  return new ColumnTable(rows, maxBytes)
}

const usualBytes = 64 * 1024 * 1024

/** Bytes of a row in a column. */
const leastBytes = 4

/** Below this number, testing rows is faster than building columns. */
const few = 64

class ColumnTable<Row> extends Table<Row> implements Columns<Row>, Scanner {
  /** The column used last is the last. */
  readonly #columns = new Map<string, Column>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(rows: readonly Row[], maxBytes: number) {
    super(rows)
    this.#maxBytes = maxBytes
  }

  scan(asking: Asking): Scanned | undefined {
    const context = asking.context()
    const { ast } = asking
    const parts = ast.type === 'and' ? ast.operands : [ast]
    // An operand to the right of one that only rows can answer may not be evaluated before it.
    const firstOther = parts.findIndex((part) => !isColumnar(part, context))
    const columnar = firstOther === -1 ? parts : parts.slice(0, firstOther)
    const steps = columnar.reduce((sum, part) => sum + stepsOf(part), 0)
    if (this.size < few || this.#isTooLarge() || columnar.length === 0 || steps > context.work.steps)
      return undefined
    const { passing, failing, odd, odds } = this.#ask(columnar, context)
    if (odds > this.size >>> 1) return undefined
    const fails = failing ?? bitsFor(this.rows.length)
    const look = (slot: number): void => {
      setBit(passing, slot, false)
      setBit(fails, slot, false)
      try {
        setBit(passing, slot, asking.test(this.rows[slot] as never)) // the filter's row type
      } catch {
        setBit(fails, slot, true)
      }
    }
    this.withoutEmpty(odd)
    this.withoutEmpty(passing)
    this.withoutEmpty(fails)
    forEachBit(odd, look)
    if (firstOther !== -1) forEachBit(passing.slice(), look)
    return { passing, failing: fails }
  }

  tally(keys: readonly string[], slots: Bits, add: (value: unknown, rows: number) => void): Bits | undefined {
    if (this.size < few || this.#isTooLarge()) return undefined
    const { distinct, codes, cells, odd } = this.#columnOf(keys)
    const plain = slots.map((word, at) => word & ~(odd[at] ?? 0))
    if (distinct === undefined) {
      forEachBit(plain, (slot) => {
        if (!(cells[slot] instanceof Gap)) add(cells[slot], 1)
      })
    } else {
      const counts = new Uint32Array(distinct.length)
      forEachBit(plain, (slot) => {
        const code = codes[slot] ?? 0
        counts[code] = (counts[code] ?? 0) + 1
      })
      distinct.forEach((cell, code) => {
        if ((counts[code] ?? 0) > 0 && !(cell instanceof Gap)) add(cell, counts[code] ?? 0)
      })
    }
    return slots.map((word, at) => word & (odd[at] ?? 0))
  }

  protected override moved(): void {
    this.#columns.clear()
    this.#bytes = 0
  }

  #ask(parts: readonly Expression[], context: Context) {
    const slots = this.rows.length
    const odd = bitsFor(slots)
    const asked = new Set<Column>()
    const columnOf = (keys: readonly string[]): Column => {
      const column = this.#columnOf(keys)
      asked.add(column)
      return column
    }
    const [first] = parts
    const whole: Expression =
      parts.length === 1 && first !== undefined ? first : { type: 'and', operands: parts, start: 0, end: 0 }
    const answers = answersOf(whole, context, columnOf, slots)
    for (const column of asked) addBits(odd, column.odd)
    // There is nothing after the last slot, and nothing to negate.
    for (let slot = slots; (slot & 31) !== 0; slot += 1) setBit(answers.passing, slot, false)
    const odds = Math.max(0, ...[...asked].map((column) => column.odds))
    return { ...answers, odd, odds }
  }

  #columnOf(keys: readonly string[]): Column {
    const name = JSON.stringify(keys)
    const known = this.#columns.get(name)
    this.#bytes -= known?.bytes ?? 0
    this.#columns.delete(name)
    const column =
      known !== undefined && this.#catchUp(known)
        ? known
        : new Column(keys, this.rows.length, (slot) => this.#cell(slot, keys))
    column.version = this.version
    this.#columns.set(name, column)
    this.#bytes += column.bytes
    for (const [oldest, { bytes }] of this.#columns) {
      if (this.#bytes <= this.#maxBytes) break
      this.#columns.delete(oldest)
      this.#bytes -= bytes
    }
    return column
  }

  /** Writes the rows that were edited since a column was used; false if building it anew is cheaper. */
  #catchUp(column: Column): boolean {
    const edits = this.editsSince(column.version)
    for (const slot of new Set(edits)) column.write(slot, this.#cell(slot, column.keys))
    return edits !== undefined
  }

  /** Whether not even one column fits. */
  #isTooLarge(): boolean {
    return this.rows.length * leastBytes > this.#maxBytes
  }

  #cell(slot: number, keys: readonly string[]): unknown {
    return this.isEmpty(slot) ? undefined : cellOf(this.rows[slot], keys)
  }
}
