import type { Expression } from '../ast.ts'
import { FilterError } from '../error.ts'

/**
 * Limits of one expression. One that exceeds a limit is refused with a {@link FilterError} of kind `limit`: a text
 * before any row is seen, a row as soon as it has taken too much work. A limit that is not a number from 0 is a
 * `RangeError`; `Infinity` is no limit.
 */
export interface Limits {
  /** The longest text, in UTF-16 units; 8192 by default. */
  readonly length?: number | undefined
  /** The deepest nesting of parentheses, braces and `not`; 200 by default. */
  readonly depth?: number | undefined
  /** The largest number of comparisons; 1000 by default. */
  readonly matches?: number | undefined
  /**
   * How much work one row may take: one step for each element that is looked at, for each comparison of each turn of a
   * quantifier, for each character that a pattern reads, and for every eighth that another search reads. 1,200,000 by
   * default, which lets any row of 1 MB be gone through and no row take more than some 100 ms.
   */
  readonly steps?: number | undefined
}

/** Refuses a limit that is no number: every comparison with it would be false, and nothing limited. */
export function checkLimits(limits: Limits = {}): void {
  for (const [name, most] of Object.entries(limits))
    if (most !== undefined && !(typeof most === 'number' && most >= 0))
      throw new RangeError(`limits.${name} is ${most}: pass a number, 0 or more`)
}

/** Enforces the limits while a text is read. */
export interface Guard {
  /** One level deeper (1), at a place, or out of it (-1). */
  readonly nest: (levels: 1 | -1, at?: number) => true
  /** How many comparisons there may be. */
  readonly matches: number
  readonly refuse: (message: string, start?: number, end?: number) => never
}

/** The longest text by default, in UTF-16 units. */
export const defaultLength = 8192

/** Refuses a text that is too long immediately; returns what checks the rest during parsing. */
export function guard(source: string, limits: Limits = {}): Guard {
  const { length = defaultLength, depth = 200, matches = 1000 } = limits
  const refuse = (message: string, start = 0, end = source.length): never => {
    throw new FilterError('limit', message, source, { start, end })
  }
  if (source.length > length) refuse(`the expression is longer than ${length} characters`, length)
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

/** The number of comparisons. */
export function countMatches(node: Expression): number {
  switch (node.type) {
    case 'and':
    case 'or':
      return node.operands.reduce((sum, operand) => sum + countMatches(operand), 0)
    case 'not':
      return countMatches(node.operand)
    case 'match':
      return 1
    case 'any':
    case 'all':
    case 'none':
      return countMatches(node.body)
    default:
      return node satisfies never
  }
}
