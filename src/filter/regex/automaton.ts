import { Alphabet, EDGE, kindOfUnit, NEWLINE, OTHER, WORD } from './alphabet.ts'
import type { Program } from './program.ts'
import { isZero, Runner, type Threads } from './threads.ts'

/** The size limit of a pattern's transition table: 1 MiB. */
export const MAX_TRANSITIONS = 1 << 18
/** The limit on the words of all cached states, including their fixed size. */
export const MAX_KEPT = 1 << 19
/** The fixed size of a state, in words. */
const STATE_COST = 32
/** If the table filled up after fewer symbols per state than this, caching stops for the rest of that text. */
const WORTHWHILE = 10

/** The number of new states in one text after which the cache is evaluated. */
const EARLY = 512
/** Skipping fewer code units than this costs more than it saves. */
const SHORT_JUMP = 8
/** The budget for short skips; beyond it, a text is read without skipping. */
const PATIENCE = 256

const UNKNOWN = 0
const DEAD = 1
const FOUND = 2
const FIRST_LIVE = 3

/** The current contents of a pattern's cache. */
export interface AutomatonStats {
  readonly transitions: number
  /** Words of the waiting instructions of all states, including their fixed size. */
  readonly kept: number
  /** How often the cache was full and was cleared. */
  readonly flushes: number
  /** Instructions and words visited so far, all for states that were not cached. */
  readonly work: number
}

/**
 * A lazily built deterministic automaton: a state is computed when a text first reaches it; after that, a step is one
 * table read. Memory is bounded: when it is full the cache is cleared, and a text that would only fill it again is
 * finished by simulating the nondeterministic automaton. So for every pattern, each code point costs at most three
 * visits of each instruction.
 */
export class Automaton {
  readonly #alphabet: Alphabet
  readonly #runner: Runner
  readonly #backwards: boolean
  readonly #width: number
  /** `table[state + symbol]` is the next state; states are identified by the offset of their row. */
  #table: Int32Array
  #states: Threads[] = []
  #ends: (boolean | undefined)[] = []
  readonly #numbers = new Map<string, number>()
  #kept = 0
  /** The initial states, and the states after the prefix, by the preceding neighbour. */
  #fresh: readonly number[] = []
  #after: readonly number[] = []
  /** States below this number need more than a table read. */
  #special = 0
  readonly #prefix: string
  #flushes = 0
  #flushedAt = 0

  /**
   * Texts are read backwards if the program is of a mirrored pattern.
   *
   * @param prefix - a string that every match begins with, if any: text before its next occurrence is skipped
   */
  constructor(program: Program, { backwards = false, prefix = '' } = {}) {
    this.#backwards = backwards
    this.#prefix = prefix
    this.#alphabet = new Alphabet(program.sets, program.asserts)
    this.#runner = new Runner(program, this.#alphabet)
    this.#width = this.#alphabet.size
    this.#table = new Int32Array(16 * this.#width)
  }

  get stats(): AutomatonStats {
    return {
      transitions: this.#table.length,
      kept: this.#kept,
      flushes: this.#flushes,
      work: this.#runner.work,
    }
  }

  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean {
    const { ascii } = this.#alphabet
    const width = this.#width
    const firstLive = FIRST_LIVE * width
    if (this.#fresh.length === 0) this.#begin()
    const prefix = this.#prefix
    const step = this.#backwards ? -1 : 1
    const stop = this.#backwards ? -1 : text.length
    let state = this.#fresh[EDGE] ?? 0
    let at = this.#backwards ? text.length - 1 : 0
    if (prefix !== '') {
      at = text.indexOf(prefix)
      if (at < 0) return false
      state = this.#after[at === 0 ? EDGE : kindOfUnit(text.charCodeAt(at - 1))] ?? 0
      at += prefix.length
    }
    if (state < firstLive) return state === FOUND * width
    let table = this.#table
    let special = this.#special
    let patience = PATIENCE
    const from = at
    let made = 0
    this.#flushedAt = at
    const { length } = text
    let unit = 0
    let symbol = 0
    let next = 0
    for (; ; at += step, state = next) {
      // The hot path: known steps over ASCII, with a loop for each direction.
      if (step > 0) {
        for (; at < length; at += 1, state = next) {
          unit = text.charCodeAt(at)
          if (unit >= 128) break
          symbol = ascii[unit] ?? 0
          next = table[state + symbol] ?? 0
          if (next < special) break
        }
      } else {
        for (; at >= 0; at -= 1, state = next) {
          unit = text.charCodeAt(at)
          if (unit >= 128) break
          symbol = ascii[unit] ?? 0
          next = table[state + symbol] ?? 0
          if (next < special) break
        }
      }
      if (at === stop) break
      if (unit >= 128) {
        const code = this.#codePointAt(text, at)
        if (code > 0xffff) at += step
        symbol = this.#alphabet.symbolOf(code)
        next = table[state + symbol] ?? 0
        if (next >= special) continue
      }
      if (next === UNKNOWN) {
        const threads = this.#runner.step(this.#threads(state), symbol, this.#runner.none())
        made += 1
        if (made % EARLY === 0 && Math.abs(at - from) < WORTHWHILE * made)
          return this.#finish(threads, text, at + step)
        if (this.#isFull(threads)) {
          if (this.#flush(at)) return this.#finish(threads, text, at + step)
          next = this.#number(threads)
        } else {
          next = this.#number(threads)
          this.#table[state + symbol] = next
        }
        table = this.#table
      }
      if (next >= firstLive && next < special) {
        // No match has begun here, and none can begin before the prefix.
        const found = text.indexOf(prefix, at + 1)
        if (found < 0) return false
        patience += found - at - SHORT_JUMP
        if (patience < 0) special = firstLive
        next = this.#after[kindOfUnit(text.charCodeAt(found - 1))] ?? 0
        at = found + prefix.length - 1
      }
      if (next < firstLive) return next === FOUND * width
    }
    const index = state / width - FIRST_LIVE
    const known = this.#ends[index]
    if (known !== undefined) return known
    const found = this.#runner.atEnd(this.#threads(state))
    this.#ends[index] = found
    return found
  }

  /** Numbers the states that a text, or a skip, begins in. They come first, so that their numbers identify them. */
  #begin(): void {
    const jumps = this.#prefix !== ''
    const starts = (jumps ? [EDGE, NEWLINE, WORD, OTHER] : [EDGE]).map((kind) => this.#runner.start(kind))
    this.#fresh = starts.map((threads) => this.#number(threads))
    this.#special = (FIRST_LIVE + (jumps ? this.#states.length : 0)) * this.#width
    this.#after = starts.map((threads) => {
      let now = threads
      for (const character of this.#prefix) {
        const symbol = this.#alphabet.symbolOf(character.codePointAt(0) ?? 0)
        if (!now.matched) now = this.#runner.step(now, symbol, this.#runner.none())
      }
      return this.#number(now)
    })
  }

  #threads(state: number): Threads {
    const threads = this.#states[state / this.#width - FIRST_LIVE]
    if (threads === undefined) throw new RangeError('a state that does not exist')
    return threads
  }

  /** The number of a state, which is created if it is new. */
  #number(threads: Threads): number {
    if (threads.matched) return FOUND * this.#width
    if (this.#runner.anchored && threads.waiting.every(isZero)) return DEAD * this.#width
    const key = keyOf(threads)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const index = this.#states.push(threads) - 1
    this.#kept += threads.waiting.length + STATE_COST
    const offset = (index + FIRST_LIVE) * this.#width
    if (offset + this.#width > this.#table.length) {
      const larger = new Int32Array(Math.min(2 * this.#table.length, this.#capacity))
      larger.set(this.#table)
      this.#table = larger
    }
    this.#numbers.set(key, offset)
    return offset
  }

  /** A very large alphabet gets a minimum number of states. */
  get #capacity(): number {
    return Math.max(MAX_TRANSITIONS, 16 * this.#width)
  }

  #isFull(threads: Threads): boolean {
    return (
      (this.#states.length + FIRST_LIVE + 1) * this.#width > this.#capacity ||
      this.#kept + threads.waiting.length + STATE_COST > MAX_KEPT
    )
  }

  /** Clears the cache; true if caching did not pay off since the last time. */
  #flush(at: number): boolean {
    const wasted = Math.abs(at - this.#flushedAt) < WORTHWHILE * this.#states.length
    this.#flushedAt = at
    this.#flushes += 1
    this.#table = new Int32Array(16 * this.#width)
    this.#states = []
    this.#ends = []
    this.#numbers.clear()
    this.#kept = 0
    this.#begin()
    return wasted
  }

  /** Continues to the end of the text without caching. */
  #finish(threads: Threads, text: string, from: number): boolean {
    const step = this.#backwards ? -1 : 1
    const stop = this.#backwards ? -1 : text.length
    let now = threads
    let into = this.#runner.none()
    let other = this.#runner.none()
    for (let at = from; at !== stop && !now.matched; at += step) {
      const unit = text.charCodeAt(at)
      const code = unit < 128 ? unit : this.#codePointAt(text, at)
      if (code > 0xffff) at += step
      now = this.#runner.step(now, this.#alphabet.symbolOf(code), into)
      const read = into
      into = other
      other = read
    }
    return this.#runner.atEnd(now)
  }

  /** The code point that begins here or, read backwards, ends here; half a surrogate pair stands for itself. */
  #codePointAt(text: string, at: number): number {
    if (!this.#backwards) return text.codePointAt(at) ?? 0
    const pair = text.codePointAt(at - 1) ?? 0
    return pair > 0xffff ? pair : text.charCodeAt(at)
  }
}

/** The bits as a string, two code units per word. */
const keyOf = ({ waiting, before }: Threads): string =>
  before + Reflect.apply(String.fromCharCode, undefined, new Uint16Array(waiting.buffer))
