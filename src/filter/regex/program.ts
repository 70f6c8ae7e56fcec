import type { Assertion, Node } from './ast.ts'
import type { Ranges } from './ranges.ts'

/** The instructions: read a code point of a set, split, assert a condition on the position, or report a match. */
export const READ = 0
export const SPLIT = 1
export const ASSERT = 2
export const MATCH = 3

/** One bit per assertion. */
export const BITS = {
  'text-start': 1,
  'line-start': 2,
  'text-end': 4,
  'line-end': 8,
  word: 16,
  'not-word': 32,
} as const satisfies Record<Assertion, number>

/** A nondeterministic automaton: instruction `i` is `op[i]`, continues at `next[i]`, and has the operand `arg[i]`. */
export interface Program {
  readonly op: Uint8Array
  /** For READ the set, for SPLIT the other branch, for ASSERT the bit. */
  readonly arg: Int32Array
  readonly next: Int32Array
  readonly start: number
  readonly sets: readonly Ranges[]
  /** The assertions that occur. */
  readonly asserts: number
}

/** Builds the automaton from its end to its start, so that every instruction knows its successor. */
export function assemble(pattern: Node): Program {
  const op: number[] = []
  const arg: number[] = []
  const next: number[] = []
  const sets: Ranges[] = []
  const numbers = new Map<Ranges | string, number>()
  let asserts = 0

  const emit = (what: number, how: number, then: number): number => {
    arg.push(how)
    next.push(then)
    return op.push(what) - 1
  }

  const numberOf = (ranges: Ranges): number => {
    let number = numbers.get(ranges)
    if (number === undefined) {
      const key = ranges.join()
      number = numbers.get(key) ?? sets.push(ranges) - 1
      numbers.set(key, number).set(ranges, number)
    }
    return number
  }

  const build = (node: Node, then: number): number => {
    switch (node.kind) {
      case 'empty':
        return then
      case 'group':
        return build(node.of, then)
      case 'set':
        return emit(READ, numberOf(node.ranges), then)
      case 'assert':
        asserts |= BITS[node.at]
        return emit(ASSERT, BITS[node.at], then)
      case 'concat':
        return node.of.reduceRight((after, part) => build(part, after), then)
      case 'alternate':
        return node.of.map((part) => build(part, then)).reduceRight((other, way) => emit(SPLIT, other, way))
      case 'repeat':
        return buildRepeat(node.of, node.min, node.max, then)
    }
  }

  const buildRepeat = (of: Node, min: number, max: number, then: number): number => {
    let entry = then
    let copies = min
    if (max === Infinity) {
      const loop = emit(SPLIT, then, then)
      next[loop] = build(of, loop)
      // `x+` loops back to its one copy; `x{3,}` and `x*` need a loop of their own.
      entry = min > 0 ? (next[loop] ?? loop) : loop
      copies = Math.max(0, min - 1)
    } else for (let extra = min; extra < max; extra += 1) entry = emit(SPLIT, then, build(of, entry))
    for (let copy = 0; copy < copies; copy += 1) entry = build(of, entry)
    return entry
  }

  const start = build(pattern, emit(MATCH, 0, 0))
  return {
    op: Uint8Array.from(op),
    arg: Int32Array.from(arg),
    next: Int32Array.from(next),
    start,
    sets,
    asserts,
  }
}
