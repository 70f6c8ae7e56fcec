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
  /** The largest number of comparisons; 1000 by default. */
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

/** What counts while a text is read, and refuses. */
export interface Guard {
  /** One level deeper, at a place; and out of it. */
  readonly enter: (at: number) => true
  readonly leave: () => true
  readonly countMatch: () => void
  readonly refuse: (message: string, start: number, end?: number) => never
}

/** Refuses a text that is too long, at once; gives what refuses the rest while it is read. */
export function guard(source: string, limits: Limits): Guard {
  const {
    length = defaultLimits.length,
    depth = defaultLimits.depth,
    matches = defaultLimits.matches,
    steps,
  } = limits
  const refuse = (message: string, start: number, end = source.length): never => {
    throw new FilterError('limit', message, source, { start, end })
  }
  if (source.length > length) {
    refuse(`the expression is ${source.length} characters long; at most ${length} are allowed`, length)
  }
  if (steps !== undefined && (source.length + 1) * stepsPerUnit > steps) {
    const start = Math.min(source.length, Math.floor(steps / stepsPerUnit))
    refuse(`reading it may take more than ${steps} steps`, start)
  }
  let level = 0
  let matched = 0
  return {
    refuse,
    enter: (at) => {
      level += 1
      return level <= depth || refuse(`the expression is nested more than ${depth} levels deep`, at, at + 1)
    },
    leave: () => {
      level -= 1
      return true
    },
    countMatch: () => {
      matched += 1
      if (matched > matches) refuse(`the expression has more than ${matches} comparisons`, 0)
    },
  }
}
