import type { Expression } from '../ast.ts'
import { type Kit, required } from '../compiling/part.ts'
import { checkLimits } from './limits.ts'
import { type ParseOptions, read } from './read.ts'

/** The texts that expressions were parsed from, so that their offsets remain meaningful. */
const sources = new WeakMap<Expression, string>()

export interface Sourced {
  readonly source: string
  readonly ast: Expression
}

/** Parses a text, or takes an expression: one that was not parsed from a text is formatted and parsed again. */
export function sourced(
  expression: string | Expression,
  options: ParseOptions,
  { advise, format }: Kit,
): Sourced {
  checkLimits(options.limits)
  if (typeof expression === 'string')
    return { source: expression, ast: read(expression, options, advise?.syntax) }
  const known = sources.get(expression)
  if (known !== undefined) return { source: known, ast: expression }
  const source = required(format, 'builtExpressions')(expression)
  return { source, ast: read(source, options, advise?.syntax) }
}

/** Keeps the text of an expression that leaves the package. */
export function remember(source: string, ast: Expression): Expression {
  sources.set(ast, source)
  return ast
}
