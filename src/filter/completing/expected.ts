import type { Expression } from '../ast.ts'
import { type Expectation, parse as readText, SyntaxError as Unreadable } from '../generated/filter-parser.js'
import { momentOffset } from '../kinds/moment.ts'
import { pointerSegments, unescapeText } from '../reading/text.ts'

/** Parses an unfinished text: what the grammar expects next, and what the text means once its gap is filled. */
export interface Reader {
  /** Punctuation, keywords and names of rules that may follow; `undefined` if the text has an error before its end. */
  readonly expectedAfter: (text: string) => ReadonlySet<string> | undefined
  /** The tree of a text, or `undefined` if it is not valid. */
  readonly tree: (text: string) => Expression | undefined
}

/** Never part of a valid expression outside of strings, so that parsing always fails at it. */
const stop = '\u0001'

export function readerFor(bexpr: boolean): Reader {
  const options = {
    nest: () => true as const,
    bexpr,
    extended: !bexpr,
    unquote: (raw: string) => unescapeText(raw) ?? '',
    pointerPath: pointerSegments,
    isMoment: (text: string) => momentOffset(text) !== undefined,
    parameter: () => {},
  }
  const attempt = (text: string): Expression | Unreadable | undefined => {
    try {
      return readText(text, options)
    } catch (error) {
      if (error instanceof Unreadable) return error
      // A text nested too deep for the stack has no completion.
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
  return {
    expectedAfter: (text) => {
      const failure = attempt(text + stop)
      if (!(failure instanceof Unreadable) || failure.location.start.offset !== text.length) return undefined
      return new Set(failure.expected?.flatMap(textOf) ?? [])
    },
    tree: (text) => {
      const tree = attempt(text)
      return tree instanceof Unreadable ? undefined : tree
    },
  }
}

const textOf = (what: Expectation): readonly string[] => {
  if (what.type === 'literal') return [what.text]
  return what.type === 'other' ? [what.description] : []
}
