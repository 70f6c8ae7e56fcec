import { brand, brandOf, isBranded } from '../../kernel/brand.ts'
import { type Bits, setBit } from './bits.ts'

const mark = /* @__PURE__ */ brandOf('Table')

/** Rows in slots that keep their order; a removed row leaves its slot empty until many are. */
export class Table<Row> {
  rows: (Row | undefined)[]
  /** The number of rows, without the empty slots. */
  size: number
  /** The number of edits. */
  version = 0
  /** The slot of each edit since {@link Table.#logged}. */
  #log: number[] = []
  #logged = 0
  /** The slots without a row; undefined if there are none. */
  #empty: Set<number> | undefined
  /** The slots of each row, in order; built when a row is first looked up. */
  #slots: Map<unknown, number[]> | undefined

  constructor(rows: readonly Row[]) {
    brand(Table.prototype, mark)
    // Holes become rows like any other.
    this.rows = Array.from(rows)
    this.size = this.rows.length
  }

  /** Also true for tables of another copy of the package in this process. */
  static [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass asks for itself
    return isBranded(this, Table, mark, value)
  }

  insert(row: Row): void {
    const slot = this.rows.length
    this.rows.push(row)
    this.size += 1
    this.#place(row, slot)
    this.#edited(slot)
  }

  /** Replaces the first occurrence of the previous row; `false` if there is none. */
  update(row: Row, previous: Row): boolean {
    const slot = this.#take(previous)
    if (slot === undefined) return false
    this.rows[slot] = row
    this.#place(row, slot)
    this.#edited(slot)
    return true
  }

  /** Removes the first occurrence of this row; `false` if there is none. */
  remove(row: Row): boolean {
    const slot = this.#take(row)
    if (slot === undefined) return false
    this.rows[slot] = undefined
    this.#empty ??= new Set()
    this.#empty.add(slot)
    this.size -= 1
    this.#edited(slot)
    if (this.#empty.size > 64 && this.#empty.size > this.size) this.#compact()
    return true
  }

  isEmpty(slot: number): boolean {
    return this.#empty?.has(slot) ?? false
  }

  /** Removes the empty slots from a cached result. */
  withoutEmpty(bits: Bits): void {
    if (this.#empty !== undefined) for (const slot of this.#empty) setBit(bits, slot, false)
  }

  /** The slots edited since a version; `undefined` if there are so many that reading all rows is cheaper. */
  editsSince(version: number): readonly number[] | undefined {
    return version < this.#logged ? undefined : this.#log.slice(version - this.#logged)
  }

  /** Called when any row may have another slot. */
  protected moved(): void {}

  #edited(slot: number): void {
    this.version += 1
    if (this.#log.length > 64 + (this.size >>> 2)) this.#forget()
    else this.#log.push(slot)
  }

  #forget(): void {
    this.#log = []
    this.#logged = this.version
  }

  #place(row: Row, slot: number): void {
    if (this.#slots === undefined) return
    const slots = this.#slots.get(row)
    if (slots === undefined) this.#slots.set(row, [slot])
    else {
      const at = slots.findLastIndex((each) => each < slot) + 1
      slots.splice(at, 0, slot)
    }
  }

  #take(row: Row): number | undefined {
    if (this.#slots === undefined) {
      this.#slots = new Map()
      for (let slot = 0; slot < this.rows.length; slot += 1)
        if (!this.isEmpty(slot)) this.#place(this.rows[slot] as Row, slot)
    }
    const slots = this.#slots.get(row)
    const slot = slots?.shift()
    if (slots?.length === 0) this.#slots.delete(row)
    return slot
  }

  #compact(): void {
    this.rows = this.rows.filter((_, slot) => !this.isEmpty(slot))
    this.#empty = undefined
    this.#slots = undefined
    this.version += 1
    this.#forget()
    this.moved()
  }
}
