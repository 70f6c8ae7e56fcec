import type { Expression, Quantifier } from './ast.ts'
import { FilterError } from './error.ts'

/**
 * How much one expression may ask for. What exceeds a limit is refused with a {@link FilterError} of kind
 * `limit`, before any more work is done on it.
 *
 * @public
 */
export interface Limits {
  /** The longest text, in UTF-16 units; 8192 by default. */
  readonly length?: number
  /** The deepest nesting of parentheses, braces and `not`; 200 by default. */
  readonly depth?: number
  /**
   * The largest number of comparisons; 1000 by default. Those of a quantifier that goes through something anew for
   * each element of the one around it count as a hundred each, as in `any Tags as a { any Tags as b { … } }`: they are
   * made for each pair. One that goes down, as in `any Groups as g { any g.Ports as p { … } }`, counts as any other.
   */
  readonly matches?: number
  /**
   * A budget for reading, in grammar rules tried; by default there is none. Reading tries at most 16 rules per
   * UTF-16 unit, and that bound is what is compared with the budget.
   */
  readonly steps?: number
}

/** No text makes the parser try more rules than this per UTF-16 unit: a test measures it. */
export const stepsPerUnit = 16

/** What counts in a text that is read, and refuses. */
export interface Guard {
  /** One level deeper (1), at a place, or out of it (-1). */
  readonly nest: (levels: 1 | -1, at?: number) => true
  /** How many comparisons there may be. */
  readonly matches: number
  readonly refuse: (message: string, start?: number, end?: number) => never
}

/** Refuses a text that is too long, at once; gives what refuses the rest while it is read. */
export function guard(source: string, limits: Limits = {}): Guard {
  const { length = 8192, depth = 200, matches = 1000, steps = Infinity } = limits
  const refuse = (message: string, start = 0, end = source.length): never => {
    throw new FilterError('limit', message, source, { start, end })
  }
  if (source.length > length) refuse(`the expression is longer than ${length} characters`, length)
  if ((source.length + 1) * stepsPerUnit > steps) refuse(`the expression may take more than ${steps} steps`)
  let level = 0
  return {
    refuse,
    matches,
    nest: (levels, at = 0) => {
      level += levels
      return level <= depth || refuse(`the expression is nested more than ${depth} levels deep`, at, at + 1)
    },
  }
}

/** How many comparisons there are; those that are made for each pair of elements count as a hundred. */
export function weightOf(node: Expression, each = 1, around?: Quantifier): number {
  if ('operands' in node)
    return node.operands.reduce((sum, operand) => sum + weightOf(operand, each, around), 0)
  if (node.type === 'not') return weightOf(node.operand, each, around)
  if (node.type === 'match') return each
  // What lies in the elements of the quantifier around is gone through once; all else, once for each of them.
  const goesDown = !around || node.selector.path[0] === (around.value ?? around.name)
  return weightOf(node.body, goesDown ? each : each * 100, node)
}
