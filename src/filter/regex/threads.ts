import { type Alphabet, EDGE, NEWLINE, OTHER, WORD } from './alphabet.ts'
import { ASSERT, BITS, MATCH, type Program, READ, SPLIT } from './program.ts'

/** The assertions that are decided by the preceding neighbour alone. */
const BEHIND = /* @__PURE__ */ (() => BITS['text-start'] | BITS['line-start'])()
/** Patterns whose masks would take more words than this, 1 MiB, have none. */
const MAX_MASKS = 1 << 18

/** The assertions that hold between two neighbours. */
function holding(before: number, after: number): number {
  return (
    behind(before) |
    (after === EDGE ? BITS['text-end'] : 0) |
    (after === EDGE || after === NEWLINE ? BITS['line-end'] : 0) |
    ((before === WORD) === (after === WORD) ? BITS['not-word'] : BITS.word)
  )
}

const behind = (before: number): number =>
  (before === EDGE ? BITS['text-start'] : 0) |
  (before === EDGE || before === NEWLINE ? BITS['line-start'] : 0)

/** All states a nondeterministic automaton may be in, between two code points of a text. */
export interface Threads {
  /** The instructions that wait for a code point, or for an assertion that needs lookahead, as a bit set. */
  readonly waiting: Int32Array
  /** The preceding neighbour; OTHER if no assertion needs it. */
  readonly before: number
  /** Whether a match is already complete. */
  readonly matched: boolean
}

/**
 * Runs a program one code point at a time, with a new start at every position, because a match may begin anywhere.
 *
 * The instructions that may wait are numbered as bits. A transition to the instruction numbered one lower, as most are,
 * is a shift of 32 bits at a time; the others are explored one by one.
 */
export class Runner {
  readonly #program: Program
  readonly #alphabet: Alphabet
  readonly #stack: number[] = []
  readonly #seen: Int32Array
  /** The instructions by their bits, and the bits of instructions. */
  readonly #places: readonly number[]
  readonly #bits: Int32Array
  readonly #words: number
  /** The instructions whose only transition is to the one below. */
  readonly #chain: Int32Array
  /** The instructions that wait for an assertion. */
  readonly #asking: Int32Array
  /** For each symbol, the instructions that read it. */
  readonly #masks: (Int32Array | undefined)[] = []
  /** For each neighbour, the threads that start after it. */
  readonly #fresh: Threads[] = []
  #waiting: Int32Array
  readonly #resolved: Int32Array
  #round = 0
  #matched = false
  #asserts = false
  /** Instructions visited so far: a measure of work that does not depend on the clock. */
  work = 0
  /** Whether a match can only begin at the start of the text. */
  readonly anchored: boolean

  constructor(program: Program, alphabet: Alphabet) {
    const { op, next, start } = program
    this.#program = program
    this.#alphabet = alphabet
    this.#seen = new Int32Array(op.length)
    this.#bits = new Int32Array(op.length)
    const places: number[] = []
    for (let at = 0; at < op.length; at += 1)
      if (op[at] === READ || op[at] === ASSERT) this.#bits[at] = places.push(at) - 1
    this.#places = places
    this.#words = (places.length + 31) >> 5
    this.#chain = new Int32Array(this.#words)
    this.#asking = new Int32Array(this.#words)
    places.forEach((at, bit) => {
      const to = next[at] ?? 0
      if (op[at] === ASSERT) add(this.#asking, bit)
      else if (op[to] === READ && this.#bits[to] === bit - 1) add(this.#chain, bit)
    })
    this.#resolved = this.none()
    this.#waiting = this.none()
    this.#begin(this.#waiting)
    this.#explore(start, ~BITS['text-start'], 0)
    this.anchored = !this.#matched && this.#waiting.every(isZero)
  }

  /** A new, empty bit set. */
  none(): Int32Array {
    return new Int32Array(this.#words)
  }

  /** The initial threads, by the preceding neighbour: EDGE at the start of a text. */
  start(before: number): Threads {
    const known = this.#fresh[before]
    if (known !== undefined) return known
    this.#begin(this.none())
    if (before === EDGE || !this.anchored) this.#explore(this.#program.start, behind(before), ~BEHIND)
    const fresh = this.#threads(before)
    this.#fresh[before] = fresh
    return fresh
  }

  /** The threads after one more symbol; their bits are written to `into`, which is overwritten. */
  step(threads: Threads, symbol: number, into: Int32Array): Threads {
    const kind = this.#alphabet.kindOf(symbol)
    const fresh = this.start(kind)
    const now = this.#resolve(threads, kind)
    if (this.#matched) return { waiting: now, before: kind, matched: true }
    const { next } = this.#program
    const mask = this.#masks[symbol] ?? this.#maskOf(symbol, now)
    this.#begin(into)
    for (let word = 0; word < now.length; word += 1) into[word] = fresh.waiting[word] ?? 0
    this.#matched = fresh.matched
    this.#asserts = fresh.before !== OTHER
    const held = behind(kind)
    for (let word = 0; word < now.length; word += 1) {
      const active = (now[word] ?? 0) & (mask[word] ?? 0)
      if (active === 0) continue
      const chained = active & (this.#chain[word] ?? 0)
      into[word] = (into[word] ?? 0) | (chained >>> 1)
      if (chained & 1) into[word - 1] = (into[word - 1] ?? 0) | (1 << 31)
      for (let left = active ^ chained; left !== 0; left &= left - 1)
        this.#explore(next[this.#placeOf(word, left)] ?? 0, held, ~BEHIND)
    }
    this.work += now.length
    return this.#threads(kind)
  }

  /** Whether there is a match if the text ends here. */
  atEnd(threads: Threads): boolean {
    this.#resolve(threads, EDGE)
    return threads.matched || this.#matched
  }

  /**
   * Resolves the waiting assertions, now that the following neighbour is known; the other threads wait for a code
   * point.
   */
  #resolve({ waiting, before }: Threads, after: number): Int32Array {
    this.#matched = false
    if (this.#program.asserts === 0) return waiting
    this.#begin(this.#resolved)
    for (let word = 0; word < waiting.length; word += 1) this.#waiting[word] = waiting[word] ?? 0
    const held = holding(before, after)
    for (let word = 0; word < waiting.length; word += 1)
      for (let left = (waiting[word] ?? 0) & (this.#asking[word] ?? 0); left !== 0; left &= left - 1)
        this.#explore(this.#placeOf(word, left), held, 0)
    return this.#waiting
  }

  /** The instruction of the lowest set bit of a word. */
  #placeOf(word: number, bits: number): number {
    return this.#places[32 * word + 31 - Math.clz32(bits & -bits)] ?? 0
  }

  #begin(waiting: Int32Array): void {
    this.#waiting = waiting
    this.#round += 1
    if (this.#round > 0x7fffffff) {
      this.#seen.fill(0)
      this.#round = 1
    }
    this.#matched = false
    this.#asserts = false
  }

  #threads(kind: number): Threads {
    return { waiting: this.#waiting, before: this.#asserts ? kind : OTHER, matched: this.#matched }
  }

  /** The instructions that read a symbol; for a large pattern, only those that wait. */
  #maskOf(symbol: number, waiting: Int32Array): Int32Array {
    const { op, arg } = this.#program
    const members = this.#alphabet.membersOf(symbol)
    const whole = this.#words * this.#alphabet.size <= MAX_MASKS
    const mask = this.none()
    for (let word = 0; word < mask.length; word += 1)
      for (let left = whole ? ~0 : (waiting[word] ?? 0); left !== 0; left &= left - 1) {
        const at = this.#placeOf(word, left)
        if (op[at] === READ && members[arg[at] ?? 0] === 1) mask[word] = (mask[word] ?? 0) | (left & -left)
      }
    if (whole) this.#masks[symbol] = mask
    return mask
  }

  /** Follows the transitions that read nothing; assertions pass if in `held`, wait if in `open`, and fail otherwise. */
  #explore(from: number, held: number, open: number): void {
    const { op, arg, next } = this.#program
    const stack = this.#stack
    stack.push(from)
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (this.#seen[at] === this.#round) continue
      this.#seen[at] = this.#round
      this.work += 1
      const what = op[at]
      if (what === READ) add(this.#waiting, this.#bits[at] ?? 0)
      else if (what === SPLIT) stack.push(arg[at] ?? 0, next[at] ?? 0)
      else if (what === MATCH) this.#matched = true
      else if (what === ASSERT) {
        const bit = arg[at] ?? 0
        if (bit & held) stack.push(next[at] ?? 0)
        else if (bit & open) {
          add(this.#waiting, this.#bits[at] ?? 0)
          this.#asserts = true
        }
      }
    }
  }
}

/** Whether a word has no bit set. */
export const isZero = (word: number): boolean => word === 0

const add = (bits: Int32Array, bit: number): void => {
  bits[bit >> 5] = (bits[bit >> 5] ?? 0) | (1 << (bit & 31))
}
