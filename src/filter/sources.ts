import type { Expression } from './ast.ts'
import { format } from './format.ts'
import { type ParseOptions, read } from './read.ts'
import type { Advise } from './syntax-error.ts'

/** The texts that expressions were read from, so that their places still mean something later. */
const sources = new WeakMap<Expression, string>()

export interface Sourced {
  readonly source: string
  readonly ast: Expression
}

/** Reads a text, or takes an expression: one that was not read from a text is written out and read back. */
export function sourced(
  expression: string | Expression,
  options: ParseOptions,
  advise: Advise | undefined,
): Sourced {
  if (typeof expression === 'string') return { source: expression, ast: read(expression, options, advise) }
  if (typeof expression !== 'object' || expression === null) {
    throw new TypeError(`a filter expression is a text, or what parse() returned, not ${String(expression)}`)
  }
  const known = sources.get(expression)
  if (known !== undefined) return { source: known, ast: expression }
  const source = format(expression)
  return { source, ast: read(source, options, advise) }
}

/** Keeps the text of an expression that leaves the package. */
export function remember(source: string, ast: Expression): Expression {
  sources.set(ast, source)
  return ast
}
