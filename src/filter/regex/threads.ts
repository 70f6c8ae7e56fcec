import { type Alphabet, EDGE, NEWLINE, OTHER, WORD } from './alphabet.ts'
import { ASSERT, BITS, MATCH, type Program, READ, SPLIT } from './program.ts'

/** The assertions that hold by what is before a place alone. */
const BEHIND = BITS['text-start'] | BITS['line-start']

/** The assertions that hold between two kinds of neighbour. */
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

/** All the places a nondeterministic automaton may be in at once, between two code points of a text. */
export interface Threads {
  /** The instructions that wait, in no order: for a code point, or for an assertion that needs to see ahead. */
  readonly waiting: Int32Array
  /** What is before this place; OTHER where nothing asks. */
  readonly before: number
  /** Whether a match is complete already. */
  readonly matched: boolean
}

/** Runs a program one code point at a time, starting afresh at every place, for a match may begin anywhere. */
export class Runner {
  readonly #program: Program
  readonly #alphabet: Alphabet
  readonly #stack: number[] = []
  readonly #seen: Int32Array
  readonly #list: Int32Array
  #count = 0
  #round = 0
  #matched = false
  #asserts = false
  /** Instructions visited so far: the measure of work, free of clocks. */
  work = 0
  /** Whether a match can only begin at the start of the text. */
  readonly anchored: boolean

  constructor(program: Program, alphabet: Alphabet) {
    this.#program = program
    this.#alphabet = alphabet
    this.#seen = new Int32Array(program.op.length)
    this.#list = new Int32Array(program.op.length)
    this.#begin()
    this.#explore(program.start, ~BITS['text-start'], 0)
    this.anchored = this.#count === 0 && !this.#matched
  }

  /** The threads where nothing is read yet, with what is before: EDGE at the start of a text. */
  start(before: number): Threads {
    this.#begin()
    return this.#settle(before)
  }

  /**
   * Where one place leads by reading, with every new beginning; new beginnings alone for none. Whatever asks
   * about neighbours waits there, also for what is before.
   */
  follow(at: number | undefined): Threads {
    this.#begin()
    if (at !== undefined) this.#explore(this.#program.next[at] ?? 0, 0, ~BITS['text-start'])
    if (!this.anchored) this.#explore(this.#program.start, 0, ~BITS['text-start'])
    return { waiting: this.#list.slice(0, this.#count), before: OTHER, matched: this.#matched }
  }

  /** The same threads once the kind of what follows is known: nothing asks any more. */
  between(threads: Threads, after: number): Threads {
    return { waiting: this.#resolve(threads, after), before: after, matched: this.#matched }
  }

  /** The threads behind one more symbol. */
  step(threads: Threads, symbol: number): Threads {
    const kind = this.#alphabet.kindOf(symbol)
    const waiting = this.#resolve(threads, kind)
    if (this.#matched) return { waiting, before: kind, matched: true }
    const { op, arg, next } = this.#program
    const members = this.#alphabet.membersOf(symbol)
    this.#begin()
    const held = behind(kind)
    for (let index = 0; index < waiting.length; index += 1) {
      const at = waiting[index] ?? 0
      if (members[arg[at] ?? 0] === 0) continue
      const to = next[at] ?? 0
      if (op[to] === READ) this.#wait(to)
      else this.#explore(to, held, ~BEHIND)
    }
    this.work += waiting.length
    return this.#settle(kind)
  }

  /** Whether there is a match if the text ends here. */
  atEnd(threads: Threads): boolean {
    this.#resolve(threads, EDGE)
    return threads.matched || this.#matched
  }

  /** Answers the waiting assertions, now that what follows is known; what is left waits for a code point. */
  #resolve({ waiting, before }: Threads, after: number): Int32Array {
    this.#begin()
    if (this.#program.asserts === 0) return waiting
    const held = holding(before, after)
    for (const at of waiting) this.#explore(at, held, 0)
    return this.#list.slice(0, this.#count)
  }

  #settle(kind: number): Threads {
    if (!(this.anchored && kind !== EDGE)) this.#explore(this.#program.start, behind(kind), ~BEHIND)
    const waiting = this.#list.slice(0, this.#count)
    return { waiting, before: this.#asserts ? kind : OTHER, matched: this.#matched }
  }

  #begin(): void {
    this.#count = 0
    this.#round += 1
    if (this.#round > 0x7fffffff) {
      this.#seen.fill(0)
      this.#round = 1
    }
    this.#matched = false
    this.#asserts = false
  }

  /** What exploring an instruction that reads comes to; most lead to another such, so it is worth its own way. */
  #wait(at: number): void {
    if (this.#seen[at] === this.#round) return
    this.#seen[at] = this.#round
    this.#list[this.#count++] = at
  }

  /** Follows everything that reads nothing; assertions pass if `held`, wait if `open`, and fail otherwise. */
  #explore(from: number, held: number, open: number): void {
    const { op, arg, next } = this.#program
    const stack = this.#stack
    stack.push(from)
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (this.#seen[at] === this.#round) continue
      this.#seen[at] = this.#round
      this.work += 1
      const what = op[at]
      if (what === READ) this.#list[this.#count++] = at
      else if (what === SPLIT) stack.push(arg[at] ?? 0, next[at] ?? 0)
      else if (what === MATCH) this.#matched = true
      else if (what === ASSERT) {
        const bit = arg[at] ?? 0
        if (bit & held) stack.push(next[at] ?? 0)
        else if (bit & open) {
          this.#list[this.#count++] = at
          this.#asserts = true
        }
      }
    }
  }
}
