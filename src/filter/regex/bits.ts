import { type Alphabet, OTHER } from './alphabet.ts'
import { ASSERT, BITS, type Program, READ } from './program.ts'
import type { Runner, Threads } from './threads.ts'

/** What only an end of the text can answer: it holds nowhere between two symbols. */
const ENDS = BITS['text-start'] | BITS['text-end']
/** The tables of so many places take 1 MiB. */
const MAX_PLACES = 512

/**
 * Steps a nondeterministic automaton with its places as bits. What leads to the place numbered one below, as nearly
 * everything does, moves by a shift of all bits at once; the rest goes through a table, eight places at a time. That
 * is some hundred times faster than place by place, for patterns of up to 512 places. A place that asks about its
 * neighbours waits for the next symbol, and then makes way for all that it leads to between two such.
 */
export class BitRunner {
  readonly #program: Program
  readonly #runner: Runner
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
  /** Which places ask about neighbours, the end of the text aside; `undefined` where none does. */
  readonly #asking: Int32Array | undefined
  /** For two kinds of neighbour, by the place that asks: where it leads, and in one word more whether to a match. */
  readonly #answers: (Int32Array | undefined)[][] = []
  #before = OTHER
  #now: Int32Array
  #next: Int32Array

  /** `undefined` for a pattern of too many places. */
  static of(program: Program, runner: Runner, alphabet: Alphabet): BitRunner | undefined {
    const { op } = program
    const places: number[] = []
    for (let at = 0; at < op.length; at += 1) if (op[at] === READ || op[at] === ASSERT) places.push(at)
    return places.length > MAX_PLACES ? undefined : new BitRunner(program, runner, alphabet, places)
  }

  private constructor(program: Program, runner: Runner, alphabet: Alphabet, places: readonly number[]) {
    this.#program = program
    this.#runner = runner
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
    this.#asking = program.asserts & ~ENDS ? new Int32Array(words) : undefined
    for (const [bit, at] of places.entries()) {
      if (program.op[at] !== READ) {
        if (this.#asking && !((program.arg[at] ?? 0) & ENDS)) add(this.#asking, bit)
        continue
      }
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
  start({ waiting, before }: Threads): void {
    this.#now = this.#pack(waiting)
    this.#before = before
  }

  /** Reads one more symbol; true once a match is complete. */
  step(symbol: number): boolean {
    const words = this.#words
    const now = this.#now
    const next = this.#next
    const table = this.#table
    const mask = this.#masks[symbol] ?? this.#maskOf(symbol)
    const fresh = this.#fresh
    let found = this.#asking === undefined ? 0 : this.#answer(this.#asking, this.#alphabet.kindOf(symbol))
    for (let word = 0; word < words; word += 1) next[word] = fresh[word] ?? 0
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

  /** Lets what asks go on, now that the next symbol is known; not 0 where that completes a match. */
  #answer(asking: Int32Array, kind: number): number {
    const words = this.#words
    const now = this.#now
    const pair = 4 * this.#before + kind
    const answers = this.#answers[pair] ?? []
    this.#answers[pair] = answers
    let found = 0
    for (let word = 0; word < words; word += 1)
      for (let left = (now[word] ?? 0) & (asking[word] ?? 0); left !== 0; left &= left - 1) {
        const bit = 32 * word + 31 - Math.clz32(left & -left)
        const answer = answers[bit] ?? this.#answerOf(bit, this.#before, kind)
        answers[bit] = answer
        for (let to = 0; to < words; to += 1) now[to] = (now[to] ?? 0) | (answer[to] ?? 0)
        found |= answer[words] ?? 0
      }
    this.#before = kind
    return found
  }

  #answerOf(bit: number, before: number, after: number): Int32Array {
    const waiting = Int32Array.of(this.#places[bit] ?? 0)
    const threads = this.#runner.between({ waiting, before, matched: false }, after)
    return Int32Array.of(...this.#pack(threads.waiting), threads.matched ? 1 : 0)
  }

  /** Where it is now, as threads that are stepped one by one. */
  get threads(): Threads {
    const waiting = Int32Array.from(this.#places.filter((_, bit) => has(this.#now, bit)))
    return { waiting, before: this.#before, matched: false }
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
