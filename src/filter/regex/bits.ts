import type { Alphabet } from './alphabet.ts'
import { ASSERT, BITS, type Program, READ } from './program.ts'
import type { Runner, Threads } from './threads.ts'

/** The tables of so many places take 1 MiB. */
const MAX_PLACES = 512

/**
 * Steps a nondeterministic automaton with its places as bits. What leads to the place numbered one below, as nearly
 * everything does, moves by a shift of all bits at once; the rest goes through a table, eight places at a time. That
 * is some hundred times faster than place by place, for patterns of up to 512 places that ask about no neighbours.
 */
export class BitRunner {
  readonly #program: Program
  readonly #alphabet: Alphabet
  readonly #places: readonly number[]
  readonly #words: number
  /** Where nothing but new beginnings wait. */
  readonly #fresh: Int32Array
  /** Which places complete a match by what they read. */
  readonly #accept: Int32Array
  /** Which places lead to the one below. */
  readonly #chain: Int32Array
  /** Which places lead elsewhere. */
  readonly #jumps: Int32Array
  /** For every eighth place and each choice among the eight from there: where else they lead. */
  readonly #table: Int32Array
  readonly #masks: (Int32Array | undefined)[] = []
  #now: Int32Array
  #next: Int32Array

  /** `undefined` for a pattern of too many places, or one that asks about neighbours. */
  static of(program: Program, runner: Runner, alphabet: Alphabet): BitRunner | undefined {
    const { op, asserts } = program
    if (asserts & ~(BITS['text-start'] | BITS['text-end'])) return undefined
    const places: number[] = []
    for (let at = 0; at < op.length; at += 1) if (op[at] === READ || op[at] === ASSERT) places.push(at)
    return places.length > MAX_PLACES ? undefined : new BitRunner(program, runner, alphabet, places)
  }

  private constructor(program: Program, runner: Runner, alphabet: Alphabet, places: readonly number[]) {
    this.#program = program
    this.#alphabet = alphabet
    this.#places = places
    const words = (places.length + 31) >> 5
    this.#words = words
    this.#now = new Int32Array(words)
    this.#next = new Int32Array(words)
    this.#accept = new Int32Array(words)
    this.#chain = new Int32Array(words)
    this.#jumps = new Int32Array(words)
    this.#fresh = this.#pack(runner.follow(undefined).waiting)
    this.#table = new Int32Array(words * 4 * 256 * words)
    for (const [bit, at] of places.entries()) {
      if (program.op[at] !== READ) continue
      const { waiting, matched } = runner.follow(at)
      if (matched) add(this.#accept, bit)
      for (const place of waiting) {
        const to = places.indexOf(place)
        if (has(this.#fresh, to)) continue
        if (to === bit - 1) add(this.#chain, bit)
        else this.#jump(bit, to)
      }
    }
  }

  /** Notes a jump in every choice that holds its place. */
  #jump(from: number, to: number): void {
    add(this.#jumps, from)
    for (let choice = 0; choice < 256; choice += 1) {
      if ((choice & (1 << (from & 7))) === 0) continue
      const row = (((from >> 3) << 8) + choice) * this.#words
      add(this.#table.subarray(row, row + this.#words), to)
    }
  }

  /** Goes on from threads that were stepped one by one. */
  start({ waiting }: Threads): void {
    this.#now = this.#pack(waiting)
  }

  /** Reads one more symbol; true once a match is complete. */
  step(symbol: number): boolean {
    const words = this.#words
    const now = this.#now
    const next = this.#next
    const table = this.#table
    const mask = this.#masks[symbol] ?? this.#maskOf(symbol)
    const fresh = this.#fresh
    for (let word = 0; word < words; word += 1) next[word] = fresh[word] ?? 0
    let found = 0
    for (let word = 0; word < words; word += 1) {
      const active = (now[word] ?? 0) & (mask[word] ?? 0)
      if (active === 0) continue
      found |= active & (this.#accept[word] ?? 0)
      const chained = active & (this.#chain[word] ?? 0)
      next[word] = (next[word] ?? 0) | (chained >>> 1)
      if (chained & 1) next[word - 1] = (next[word - 1] ?? 0) | (1 << 31)
      let jumping = active & (this.#jumps[word] ?? 0)
      for (let eight = word << 10; jumping !== 0; eight += 256, jumping >>>= 8) {
        const choice = jumping & 255
        if (choice === 0) continue
        const row = (eight + choice) * words
        for (let to = 0; to < words; to += 1) next[to] = (next[to] ?? 0) | (table[row + to] ?? 0)
      }
    }
    this.#now = next
    this.#next = now
    return found !== 0
  }

  /** The places that wait now. */
  get waiting(): Int32Array {
    return Int32Array.from(this.#places.filter((_, bit) => has(this.#now, bit)))
  }

  #pack(waiting: Int32Array): Int32Array {
    const bits = new Int32Array(this.#words)
    for (const at of waiting) add(bits, this.#places.indexOf(at))
    return bits
  }

  #maskOf(symbol: number): Int32Array {
    const { op, arg } = this.#program
    const members = this.#alphabet.membersOf(symbol)
    const mask = new Int32Array(this.#words)
    for (const [bit, at] of this.#places.entries())
      if (op[at] === READ && members[arg[at] ?? 0] === 1) add(mask, bit)
    this.#masks[symbol] = mask
    return mask
  }
}

const add = (bits: Int32Array, bit: number): void => {
  bits[bit >> 5] = (bits[bit >> 5] ?? 0) | (1 << (bit & 31))
}
const has = (bits: Int32Array, bit: number): boolean => (((bits[bit >> 5] ?? 0) >> (bit & 31)) & 1) === 1
