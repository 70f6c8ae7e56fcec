import { type Bits, bitsFor, hasBit, setBit } from './bits.ts'
import { keyOf, odd } from './cell.ts'

/**
 * The values of a path in each row: a dictionary of the distinct cells and one code per row; or, if most rows differ,
 * the cells themselves.
 */
export class Column {
  readonly keys: readonly string[]
  /** The distinct cells; absent while the cells themselves are stored. */
  distinct: unknown[] | undefined = []
  codes: Uint32Array
  /** Numbers alone take the least memory. */
  cells: unknown[] | Float64Array = []
  /** The slots whose rows are odd. */
  odd: Bits
  odds = 0
  /** The edits of the table that are in the column. */
  version = 0
  /** Characters of keys of the dictionary that no row has: those of lists and dates. */
  #keyLength = 0
  #codeOf = new Map<unknown, number>()
  /** With more distinct cells than this, there is no dictionary. */
  readonly #most: number

  constructor(keys: readonly string[], slots: number, cellAt: (slot: number) => unknown) {
    this.keys = keys
    this.codes = new Uint32Array(slots)
    this.odd = bitsFor(slots)
    this.#most = Math.max(256, slots >>> 3)
    for (let slot = 0; slot < slots; slot += 1) this.write(slot, cellAt(slot))
  }

  /** An estimate of its memory; strings belong to the rows. */
  get bytes(): number {
    const { distinct, codes, cells, odd: odds } = this
    const kept = cells instanceof Float64Array ? cells.byteLength : cells.length * 8
    return codes.byteLength + odds.byteLength + kept + (distinct?.length ?? 0) * entryBytes + this.#keyLength
  }

  /** Stores the value of a slot; `undefined` if it has no row. */
  write(slot: number, cell: unknown): void {
    if (slot >>> 5 >= this.odd.length) this.odd = grown(this.odd, slot >>> 5)
    const wasOdd = hasBit(this.odd, slot)
    const isOdd = cell === odd
    if (wasOdd !== isOdd) {
      setBit(this.odd, slot, isOdd)
      this.odds += isOdd ? 1 : -1
    }
    if (this.distinct === undefined) {
      this.#keep(slot, isOdd ? undefined : cell)
      return
    }
    if (slot >= this.codes.length) this.codes = grown(this.codes, slot)
    const code = this.#code(isOdd ? undefined : cell, this.distinct)
    this.codes[slot] = code
    if (this.distinct.length > this.#most) this.#spread(this.distinct)
  }

  #keep(slot: number, cell: unknown): void {
    const { cells } = this
    if (!(cells instanceof Float64Array)) cells[slot] = cell
    else if (cell === undefined || typeof cell === 'number') {
      if (slot >= cells.length) {
        const larger = new Float64Array(slot + 16 + (slot >>> 2))
        larger.set(cells)
        this.cells = larger
      }
      // Not needed without a row.
      this.cells[slot] = cell ?? Number.NaN
    } else {
      this.cells = [...cells]
      this.cells[slot] = cell
    }
  }

  #code(cell: unknown, distinct: unknown[]): number {
    const key = keyOf(cell)
    const known = this.#codeOf.get(key)
    if (known !== undefined) return known
    const code = distinct.length
    this.#codeOf.set(key, code)
    if (key !== cell && typeof key === 'string') this.#keyLength += key.length
    distinct.push(cell)
    return code
  }

  /** Replaces the dictionary by the cells. */
  #spread(distinct: readonly unknown[]): void {
    const areNumbers = distinct.every((cell) => cell === undefined || typeof cell === 'number')
    this.cells = areNumbers
      ? Float64Array.from(this.codes, (code) => Number(distinct[code]))
      : Array.from(this.codes, (code) => distinct[code])
    this.distinct = undefined
    this.codes = new Uint32Array(0)
    this.#codeOf.clear()
    this.#keyLength = 0
  }
}

/** Bytes of an entry of a dictionary: a cell in an array, and a key in a hash table. */
const entryBytes = 64

function grown(from: Uint32Array, at: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(at + 16 + (at >>> 2))
  larger.set(from)
  return larger
}
