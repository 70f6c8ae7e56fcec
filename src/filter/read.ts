import type { Advice } from './advice.ts'
import type { Expression } from './ast.ts'
import { choice } from './choice.ts'
import { parse as readText, SyntaxError as Unreadable } from './generated/filter-parser.js'
import { forPairs, guard, type Limits, weightOf } from './limits.ts'
import { explainSyntax } from './syntax-error.ts'
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
  /** `standard` by default. */
  readonly dialect?: Dialect
  /** How much one expression may ask for. */
  readonly limits?: Limits
}

/** Whether an expression is meant as go-bexpr takes it. */
export const isBexpr = ({ dialect = 'standard' }: ParseOptions): boolean =>
  choice<Dialect>('dialect', dialect, ['standard', 'bexpr']) === 'bexpr'

/** Reads a text within its limits. `advise`: what helps where it cannot be read. */
export function read(
  source: string,
  options: ParseOptions,
  advise: Advice['syntax'] | undefined,
): Expression {
  const { refuse, nest, matches } = guard(source, options.limits)
  const bexpr = isBexpr(options)
  try {
    const tree = readText(source, {
      nest,
      bexpr,
      unquote,
      pointerPath: bexpr ? pointerOrEmpty : pointerSegments,
    })
    if (weightOf(tree) > matches)
      refuse(`the expression has more than ${matches} comparisons; one for pairs counts ${forPairs}`)
    return tree
  } catch (error) {
    if (error instanceof Unreadable) throw explainSyntax(source, error, bexpr, advise)
    // Only where the caller raised the limits past what the stack can hold.
    if (error instanceof RangeError) return refuse('the expression is nested too deep')
    throw error
  }
}

// The empty string is a pointer to the key "" there.
const pointerOrEmpty = (text: string) => (text === '' ? [''] : pointerSegments(text))

const unquote = (raw: string, fail: (message: string) => never): string =>
  unescapeText(raw) ?? fail('invalid escape or line break; backticks take both')
