import type { Expression } from './ast.ts'
import { FilterError } from './error.ts'
import { parse as readText } from './generated/filter-parser.js'
import { defaultLimits, guard, type Limits } from './limits.ts'
import { type Advise, explainSyntax } from './syntax-error.ts'
import { pointerSegments, unescapeText } from './text.ts'

/**
 * Which language an expression is written in: `standard` is the documented one; `bexpr` reproduces go-bexpr,
 * accidents included.
 *
 * @public
 */
export type Dialect = 'standard' | 'bexpr'

/**
 * Options of {@link parse}.
 *
 * @public
 */
export interface ParseOptions {
  /** Default `standard`. */
  readonly dialect?: Dialect
  /** How much one expression may ask for. */
  readonly limits?: Limits
}

/** Reads a text within its limits. `advise`: what helps where it cannot be read. */
export function read(source: string, options: ParseOptions, advise: Advise | undefined): Expression {
  const limits = options.limits ?? defaultLimits
  guard(source, limits)
  const allowed = limits.matches ?? defaultLimits.matches
  let matches = 0
  const countMatch = () => {
    matches += 1
    if (matches > allowed) throw tooMuch(source, `the expression has more than ${allowed} comparisons`)
  }
  const bexpr = options.dialect === 'bexpr'
  try {
    return readText(source, {
      bexpr,
      unquote,
      pointerPath: bexpr ? pointerOrEmpty : pointerSegments,
      countMatch,
      fail: (message, start, end, expected) => {
        throw explainSyntax(source, message, start, end, expected, bexpr, advise)
      },
    })
  } catch (error) {
    // Only where the caller raised the limits past what the stack can hold.
    if (error instanceof RangeError) throw tooMuch(source, 'the expression is nested too deeply')
    throw error
  }
}

const tooMuch = (source: string, message: string): FilterError =>
  new FilterError('limit', message, source, { start: 0, end: source.length })

// The empty string is a pointer to the key "" there.
const pointerOrEmpty = (text: string) => (text === '' ? [''] : pointerSegments(text))

const unquote = (raw: string, fail: (message: string) => never): string => {
  const text = unescapeText(raw)
  if (text !== undefined) return text
  return fail(
    raw.includes('\n')
      ? 'a double-quoted string cannot span lines; backticks can'
      : 'invalid escape in a double-quoted string; write a backslash as \\\\, or use backticks',
  )
}
