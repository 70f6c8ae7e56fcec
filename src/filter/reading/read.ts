import type { OptionNames } from '../../kernel/option-names.ts'
import type { Advice } from '../advising/advice.ts'
import type { Expression } from '../ast.ts'
import { choice } from '../choice.ts'
import { type Reading, parse as readText, SyntaxError as Unreadable } from '../generated/filter-parser.js'
import { momentOffset } from '../kinds/moment.ts'
import type { Parameters } from '../kinds/parameters.ts'
import { countMatches, guard, type Limits } from './limits.ts'
import { declared } from './parameters.ts'
import { explainSyntax } from './syntax-error.ts'
import { pointerSegments, unescapeText } from './text.ts'

/**
 * The dialect of an expression: `standard` is the documented one; `bexpr` reproduces go-bexpr, accidents included.
 */
export type Dialect = 'standard' | 'bexpr'

/**
 * Options of {@link parse}.
 */
export interface ParseOptions {
  /** `standard` by default. */
  readonly dialect?: Dialect | undefined
  /** Limits on the size of one expression. */
  readonly limits?: Limits | undefined
  /** The parameters that the text may use, with their kinds: `{ since: 'time' }` for `$since`. */
  readonly parameters?: Parameters | undefined
}

export const parseOptions: OptionNames<ParseOptions> = {
  dialect: true,
  parameters: true,
  limits: { length: true, depth: true, matches: true, steps: true },
}

/** Whether the dialect of an expression is that of go-bexpr. */
export const isBexpr = ({ dialect = 'standard' }: ParseOptions): boolean =>
  choice<Dialect>('dialect', dialect, ['standard', 'bexpr']) === 'bexpr'

/** Parses a text within its limits. `advise` suggests corrections of syntax errors. */
export function read(
  source: string,
  options: ParseOptions,
  advise: Advice['syntax'] | undefined,
): Expression {
  const bexpr = isBexpr(options)
  const readAs = readerOf(source, options, bexpr)
  const treeAs = (extended: boolean): Expression | undefined => {
    try {
      const { peg$success, peg$result } = readAs(extended, true)
      return peg$success ? peg$result : undefined
    } catch (error) {
      // Errors are those of the whole language.
      if (error instanceof Unreadable || (!extended && !bexpr)) return undefined
      throw error
    }
  }
  // Texts keep the meaning that they had in earlier versions of the language.
  const tree = treeAs(!bexpr) ?? (bexpr ? undefined : treeAs(false))
  if (tree !== undefined) return tree
  try {
    // Once more, to know what was expected.
    const reading = readAs(!bexpr, false)
    return reading.peg$throw?.() ?? reading.peg$result
  } catch (error) {
    throw error instanceof Unreadable ? explainSyntax(source, error, bexpr, advise) : error
  }
}

/** How much of a text can be parsed; 0 of one beyond the default limits. */
export function readableLength(source: string, bexpr: boolean): number {
  try {
    const { peg$success, peg$currPos, peg$maxFailPos } = readerOf(source, {}, bexpr)(!bexpr, false)
    return peg$success ? source.length + 1 : Math.max(peg$currPos, peg$maxFailPos)
  } catch (error) {
    return error instanceof Unreadable ? error.location.start.offset : 0
  }
}

/** Reads a text in one version of the language; most of what cannot be read costs no exception, which takes a stack. */
function readerOf(source: string, options: ParseOptions, bexpr: boolean) {
  const parameter = declared(source, options.parameters)
  return (extended: boolean, isSilent: boolean): Reading => {
    const { refuse, nest, matches } = guard(source, options.limits)
    try {
      const reading = readText(source, {
        nest,
        bexpr,
        extended,
        unquote,
        pointerPath: bexpr ? pointerOrEmpty : pointerSegments,
        isMoment,
        parameter,
        peg$silentFails: isSilent ? 1 : 0,
        peg$library: true,
      })
      if (reading.peg$success && countMatches(reading.peg$result) > matches)
        refuse(`the expression has more than ${matches} comparisons`)
      return reading
    } catch (error) {
      // Only if the caller raised the limits beyond what the stack can hold.
      if (error instanceof RangeError) return refuse('the expression is nested too deep')
      throw error
    }
  }
}

const isMoment = (text: string): boolean => momentOffset(text) !== undefined

// The empty string is a pointer to the key "" there.
const pointerOrEmpty = (text: string) => (text === '' ? [''] : pointerSegments(text))

const unquote = (raw: string, fail: (message: string) => never): string =>
  unescapeText(raw) ?? fail('invalid escape or line break; backticks allow both')
