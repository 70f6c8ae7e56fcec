import type { Expression, Quantifier, Selector } from './ast.ts'
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
   * The largest number of comparisons; 1000 by default. One that goes through a part of the datum again for each element
   * of another counts as 250, as in `any Tags as a { any Tags as b { … } }` or `Groups.Min == @Groups.Max`: it is made for
   * each pair. One for triples counts as 250 times 250. What only goes down, as in
   * `any Groups as g { any g.Ports as p { … } }`, counts as any other.
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

/** As so many comparisons counts one that is made for pairs. */
export const forPairs = 250

/** How many comparisons there are; one that is made for pairs counts as {@link forPairs}, for triples as its square. */
export function weightOf(
  node: Expression,
  around: readonly Quantifier[] = [],
  walks: readonly (Quantifier | undefined)[] = [],
): number {
  if ('operands' in node)
    return node.operands.reduce((sum, operand) => sum + weightOf(operand, around, walks), 0)
  if (node.type === 'not') return weightOf(node.operand, around, walks)
  const all = [...walks]
  /** Notes what a selector goes through a part of: the elements of a quantifier, or else the datum. */
  const walk = ({ path }: Selector, isWhole: boolean): void => {
    // A name alone is looked at, and not gone through, unless all that it holds matters.
    if (isWhole || path.length > 1)
      all.push(
        around.find(({ name, key, value }) => name === path[0] || key === path[0] || value === path[0]),
      )
  }
  if (node.type !== 'match') {
    walk(node.selector, true)
    return weightOf(node.body, [node, ...around], all)
  }
  const { selector, op, operand, ignoreCase } = node
  if (operand?.type === 'field') walk(operand.selector, ignoreCase)
  // One walk repeats nothing.
  else if (!around[0]) return 1
  walk(selector, ignoreCase || /^in|m/.test(op))
  // Who goes through every element once goes through the whole once. Who does so again makes pairs.
  const again = all.length - new Set(all).size
  if (!again) return 1
  const times =
    operand?.type === 'values'
      ? operand.values.length
      : // A pattern goes through texts besides, unless it is a text itself.
        op === 'matches' && operand?.type === 'value' && /[^\w^$ -]/.test(operand.text)
        ? forPairs
        : 1
  return times * forPairs ** again
}
