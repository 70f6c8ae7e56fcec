import { Alphabet, EDGE, kindOfUnit, NEWLINE, OTHER, WORD } from './alphabet.ts'
import type { Program } from './program.ts'
import { isZero, Runner, type Threads } from './threads.ts'

/** How many transitions a pattern may remember: 1 MiB. */
export const MAX_TRANSITIONS = 1 << 18
/** How many words of waiting instructions all remembered states may hold together, the states themselves included. */
export const MAX_KEPT = 1 << 19
/** What a state itself takes, as so many words. */
const STATE_COST = 32
/** A memory that was filled by fewer symbols for each state is not worth having for the rest of that text. */
const WORTHWHILE = 10

/** After so many new states in one text, it is asked whether they pay. */
const EARLY = 512
/** A jump over fewer code units than this costs more than it saves. */
const SHORT_JUMP = 8
/** So much may be lost by short jumps before a text is read without any. */
const PATIENCE = 256

const UNKNOWN = 0
const DEAD = 1
const FOUND = 2
const FIRST_LIVE = 3

/** What one pattern remembers at present. */
export interface AutomatonStats {
  readonly transitions: number
  /** Words of waiting instructions of all states, and what the states themselves take, counted as such. */
  readonly kept: number
  /** How often the memory was full and was emptied. */
  readonly flushes: number
  /** Instructions and words visited so far: all were spent on states that were not remembered. */
  readonly work: number
}

/**
 * A deterministic automaton that is made while it runs: a state is worked out when a text first leads to it, and is
 * then one table read. Memory is bounded; when it is full everything is forgotten, and a text that would only fill it
 * again is finished by stepping the nondeterministic automaton. So for every pattern, each code point costs at most
 * three visits of each instruction.
 */
export class Automaton {
  readonly #alphabet: Alphabet
  readonly #runner: Runner
  readonly #backwards: boolean
  readonly #width: number
  /** `table[state + symbol]` is the next state; states are numbered by their row's offset. */
  #table: Int32Array
  #states: Threads[] = []
  #ends: (boolean | undefined)[] = []
  readonly #numbers = new Map<string, number>()
  #kept = 0
  /** The states of having read nothing that matters, and of having read the prefix, by what is before. */
  #fresh: readonly number[] = []
  #after: readonly number[] = []
  /** States below this number want more than a table read. */
  #special = 0
  readonly #prefix: string
  #flushes = 0
  #flushedAt = 0

  /**
   * Texts are read from their ends if the program is of a mirrored pattern.
   *
   * @param prefix - a text that every match begins with, if there is one: what lies between is not read
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

  /** Whether the pattern is found anywhere in the text. */
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
      // Nearly all there is to do: known steps over ASCII, each way in a loop of its own.
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
        // Nothing is begun here, and nothing can begin before the prefix.
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

  /** Numbers the states that a text, or a jump within it, begins in: first of all, so that they are known by it. */
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
    if (threads === undefined) throw new RangeError('a state that was never made')
    return threads
  }

  /** The number of a state, old or new. */
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

  /** A very wide alphabet is given a few states all the same. */
  get #capacity(): number {
    return Math.max(MAX_TRANSITIONS, 16 * this.#width)
  }

  #isFull(threads: Threads): boolean {
    return (
      (this.#states.length + FIRST_LIVE + 1) * this.#width > this.#capacity ||
      this.#kept + threads.waiting.length + STATE_COST > MAX_KEPT
    )
  }

  /** Forgets every state; true if remembering did not pay since the last time. */
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

  /** Goes on to the end of the text without remembering anything. */
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

  /** The code point that begins or, read from the end, ends here; half a pair stands for itself. */
  #codePointAt(text: string, at: number): number {
    if (!this.#backwards) return text.codePointAt(at) ?? 0
    const pair = text.codePointAt(at - 1) ?? 0
    return pair > 0xffff ? pair : text.charCodeAt(at)
  }
}

/** The bits as a text, two units a word. */
const keyOf = ({ waiting, before }: Threads): string =>
  before + Reflect.apply(String.fromCharCode, undefined, new Uint16Array(waiting.buffer))
