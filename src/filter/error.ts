import { brand, brandOf, isBranded } from '../kernel/brand.ts'
import type { Range } from './ast.ts'

/**
 * The kind of error of a {@link FilterError}: see the table of the language reference.
 */
export type FilterErrorKind =
  | 'parse'
  | 'not-found'
  | 'out-of-range'
  | 'index-convert'
  | 'not-indexable'
  | 'coercion'
  | 'regex'
  | 'type'
  | 'limit'

/**
 * A place in the text of an expression. `start` and `end` are UTF-16 offsets, half open; `line` and `column`
 * are those of `start`, counted from 1, columns in code points.
 */
export interface Span extends Range {
  readonly line: number
  readonly column: number
}

/**
 * One thing that is wrong with an expression, as data.
 */
export interface FilterProblem {
  readonly kind: FilterErrorKind
  /** What is wrong, and what would be right. */
  readonly message: string
  /** Where in the expression. */
  readonly span: Span
  /** The probable correction: with it in place of `span`, the expression no longer has this problem. */
  readonly suggestion?: string
}

const mark = /* @__PURE__ */ brandOf('FilterError')

/**
 * Why an expression could not be read, was refused, or failed on a datum.
 *
 * @example
 * ```ts
 * import { compile, FilterError } from 'plinth/filter'
 *
 * try {
 *   compile('Name = "edge-07"')
 * } catch (error) {
 *   if (error instanceof FilterError) {
 *     error.kind // 'parse'
 *     error.span.column // 6
 *     error.suggestion // '=='
 *   }
 * }
 * ```
 */
export class FilterError extends Error {
  override readonly name = 'FilterError'
  /** The kind of error. */
  readonly kind: FilterErrorKind
  /**
   * The probable correction: with it in place of {@link FilterError.span}, the expression no longer has this problem.
   * (It may have others.)
   */
  readonly suggestion: string | undefined
  readonly #source: string
  readonly #range: Range

  constructor(kind: FilterErrorKind, message: string, source: string, range: Range, suggestion?: string) {
    super(suggestion === undefined ? message : `${message}; did you mean ${suggestion.trim()}?`)
    brand(FilterError.prototype, mark)
    this.kind = kind
    this.suggestion = suggestion
    this.#source = source
    this.#range = range
  }

  /** Also true for errors of another copy of the package in this process. */
  static override [Symbol.hasInstance](value: unknown): value is FilterError {
    // biome-ignore lint/complexity/noThisInStatic: a subclass asks for itself
    return isBranded(this, FilterError, mark, value)
  }

  /** The kind of error, under the name that it has in every error of the package. */
  get code(): FilterErrorKind {
    return this.kind
  }

  /** Where in the expression the mistake is. */
  get span(): Span {
    // Lines and columns are counted on first use: evaluation errors are often caught and dropped.
    return locate(this.#source, this.#range)
  }

  /** The error as data, as {@link check} returns it, with its code: the output of `JSON.stringify`. */
  toJSON(): FilterProblem & { readonly code: FilterErrorKind } {
    return { code: this.code, ...problemOf(this) }
  }

  /** The line of the expression that holds the mistake, and under it a mark below the mistake. */
  caret(): string {
    const { start, end } = this.#range
    const before = linesTo(this.#source, start).at(-1) ?? ''
    const [after = ''] = this.#source.slice(start).split('\n', 1)
    // A long line is shown in part, so that the mark stays in sight.
    const left = (before.length > contextUnits ? '…' : '') + before.slice(-contextUnits)
    const right = after.slice(0, contextUnits) + (after.length > contextUnits ? '…' : '')
    const marked = right.slice(0, end - start)
    return `${left}${right}\n${left.replace(/[^\t]/gu, ' ')}${marked.replace(/./gsu, '^') || '^'}`
  }
}

/** The error as {@link check} returns it. */
export const problemOf = ({ kind, message, span, suggestion }: FilterError): FilterProblem => ({
  kind,
  message,
  span,
  ...(suggestion && { suggestion }),
})

const contextUnits = 60

/** The lines up to a place, of which the last ends there. */
const linesTo = (source: string, at: number): readonly string[] => source.slice(0, at).split('\n')

/**
 * The line and column of a range's start.
 */
export function locate(source: string, { start, end }: Range): Span {
  const lines = linesTo(source, start)
  return { start, end, line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}
