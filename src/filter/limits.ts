import { FilterError } from './error.ts'

/**
 * How much one expression may ask for. What exceeds a limit is refused with a {@link FilterError} of kind
 * `limit`, before any work is done on it.
 *
 * @public
 */
export interface Limits {
  /** The longest text, in UTF-16 units. Default 8192. */
  readonly length?: number
  /** The deepest nesting of parentheses, braces and `not`. Default 200. */
  readonly depth?: number
  /** The largest number of comparisons. Default 1000. */
  readonly matches?: number
  /**
   * A budget for reading, in grammar rules tried; by default there is none. Reading tries at most 16 rules per
   * UTF-16 unit, and that bound is what is compared with the budget.
   */
  readonly steps?: number
}

export const defaultLimits = { length: 8192, depth: 200, matches: 1000 } as const

/** No text makes the parser try more rules than this per UTF-16 unit: a test measures it. */
export const stepsPerUnit = 16

/**
 * Refuses a text that is too long or nested too deeply to hand to a recursive parser: one cheap pass that
 * knows strings, brackets and `not`, and nothing else.
 */
export function guard(source: string, limits: Limits): void {
  const { length = defaultLimits.length, depth = defaultLimits.depth, steps } = limits
  if (source.length > length) {
    throw new FilterError(
      'limit',
      `the expression is ${source.length} characters long; at most ${length} are allowed`,
      source,
      { start: length, end: source.length },
    )
  }
  if (steps !== undefined && (source.length + 1) * stepsPerUnit > steps) {
    throw new FilterError('limit', `reading the expression may take more than ${steps} steps`, source, {
      start: Math.min(source.length, Math.floor(steps / stepsPerUnit)),
      end: source.length,
    })
  }
  const deep = tooDeepAt(source, depth)
  if (deep !== -1) {
    throw new FilterError('limit', `the expression is nested more than ${depth} levels deep`, source, {
      start: deep,
      end: deep + 1,
    })
  }
}

/** Where nesting first exceeds `depth`, or -1. */
function tooDeepAt(source: string, depth: number): number {
  const levels: number[] = []
  let level = 0
  // `not not not …` nests too; any other word ends the run.
  let nots = 0
  for (let at = 0; at < source.length; at += 1) {
    const unit = source.charCodeAt(at)
    if (unit === doubleQuote || unit === backtick) {
      at = source.indexOf(unit === backtick ? '`' : '"', at + 1)
      if (at === -1) return -1
      nots = 0
    } else if (unit === openParenthesis || unit === openBrace) {
      levels.push(level)
      level += 1 + nots
      nots = 0
      if (level > depth) return at
    } else if (unit === closeParenthesis || unit === closeBrace) {
      level = levels.pop() ?? 0
      nots = 0
    } else if (isLetter(unit)) {
      const start = at
      while (isWord(source.charCodeAt(at + 1))) at += 1
      nots = at - start === 2 && source.startsWith('not', start) ? nots + 1 : 0
      if (level + nots > depth) return start
    }
  }
  return -1
}

const doubleQuote = 0x22
const backtick = 0x60
const openParenthesis = 0x28
const closeParenthesis = 0x29
const openBrace = 0x7b
const closeBrace = 0x7d

const isLetter = (unit: number): boolean => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a
const isWord = (unit: number): boolean =>
  isLetter(unit) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f || unit === 0x2f
