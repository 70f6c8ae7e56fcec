import { BITS } from './program.ts'
import { holds, LAST_CODE_POINT, type Ranges } from './ranges.ts'

/** The neighbours that assertions distinguish: none (an end of the text), a newline, a word character, any other. */
export const EDGE = 0
export const NEWLINE = 1
export const WORD = 2
export const OTHER = 3

const WORD_CHARACTERS: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]

/** Above this size, membership of symbols in sets is computed on demand instead of stored. */
const MAX_MEMBERSHIPS = 1 << 20

/**
 * The symbols of a pattern: code points that belong to the same sets of the pattern share one symbol, so that an
 * automaton needs a column per symbol, not per code point.
 */
export class Alphabet {
  /** The number of symbols. */
  readonly size: number
  /** The symbols of ASCII. */
  readonly ascii: Uint16Array
  readonly #sets: readonly Ranges[]
  readonly #starts: Int32Array
  readonly #symbols: Int32Array
  readonly #samples: readonly number[]
  /** The neighbour kind of each symbol. */
  readonly #kinds: readonly number[]
  readonly #pages: (Uint16Array | undefined)[] = []
  readonly #members: (Uint8Array | undefined)[] = []

  constructor(sets: readonly Ranges[], asserts: number) {
    const apart: Ranges[] = [...sets]
    if (asserts & (BITS.word | BITS['not-word'])) apart.push(WORD_CHARACTERS)
    if (asserts & (BITS['line-start'] | BITS['line-end'])) apart.push([10, 10])
    this.#sets = sets
    this.#starts = boundaries(apart)
    this.#symbols = partition(apart, this.#starts)
    const samples: number[] = []
    for (const [at, symbol] of this.#symbols.entries()) samples[symbol] ??= this.#starts[at] ?? 0
    this.#samples = samples
    this.#kinds = samples.map(kindOfUnit)
    this.size = samples.length
    this.ascii = this.#page(0, 128)
  }

  /** The symbol of a code point. */
  symbolOf(codePoint: number): number {
    if (codePoint > 0xffff) return this.#symbols[intervalOf(this.#starts, codePoint)] ?? 0
    let page = this.#pages[codePoint >> 8]
    if (page === undefined) {
      page = this.#page(codePoint & 0xff00, 256)
      this.#pages[codePoint >> 8] = page
    }
    return page[codePoint & 0xff] ?? 0
  }

  /** The symbols of `count` consecutive code points from `first` on. */
  #page(first: number, length: number): Uint16Array {
    const page = new Uint16Array(length)
    let interval = intervalOf(this.#starts, first)
    for (let at = 0; at < length; at += 1) {
      if (this.#starts[interval + 1] === first + at) interval += 1
      page[at] = this.#symbols[interval] ?? 0
    }
    return page
  }

  /** The neighbour kind of a symbol. */
  kindOf(symbol: number): number {
    return this.#kinds[symbol] ?? OTHER
  }

  /** For each set of the pattern, 1 if it contains the symbol. */
  membersOf(symbol: number): Uint8Array {
    const before = this.#members[symbol]
    if (before !== undefined) return before
    const sample = this.#samples[symbol] ?? 0
    const members = Uint8Array.from(this.#sets, (set) => (holds(set, sample) ? 1 : 0))
    if (members.length * this.size <= MAX_MEMBERSHIPS) this.#members[symbol] = members
    return members
  }
}

/** The neighbour kind of a code point, or of half a surrogate pair. */
export const kindOfUnit = (code: number): number =>
  code === 10 ? NEWLINE : holds(WORD_CHARACTERS, code) ? WORD : OTHER

/** The bounds of all sets, ascending from 0: between two of them, membership does not change. */
function boundaries(sets: readonly Ranges[]): Int32Array {
  const starts = new Set([0])
  for (const set of sets)
    for (const [at, bound] of set.entries())
      if (at % 2 === 0) starts.add(bound)
      else if (bound < LAST_CODE_POINT) starts.add(bound + 1)
  return Int32Array.from(starts).sort()
}

function intervalOf(starts: Int32Array, codePoint: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= codePoint) low = middle
    else high = middle - 1
  }
  return low
}

/** Numbers the intervals so that two have the same number exactly if the same sets contain them. */
function partition(sets: readonly Ranges[], starts: Int32Array): Int32Array {
  const symbols = new Int32Array(starts.length)
  let count = 1
  for (const set of sets) {
    const split = new Map<number, number>()
    for (let at = 0; at < set.length; at += 2) {
      const end = set[at + 1] ?? 0
      for (let i = intervalOf(starts, set[at] ?? 0); i < starts.length && (starts[i] ?? 0) <= end; i += 1) {
        const old = symbols[i] ?? 0
        const fresh = split.get(old) ?? count++
        split.set(old, fresh)
        symbols[i] = fresh
      }
    }
  }
  // Splitting left gaps.
  const numbers = new Map<number, number>()
  return symbols.map((symbol) => {
    const number = numbers.get(symbol) ?? numbers.size
    numbers.set(symbol, number)
    return number
  })
}
