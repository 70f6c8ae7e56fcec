import type { Expression } from '../ast.ts'
import { type CompileOptions, compileWith } from './compiler.ts'
import type { Filter } from './evaluator.ts'
import { everything } from './parts.ts'

/**
 * Compiles an expression, once for many data.
 *
 * @param expression - text, or a result of `parse`
 * @throws {@link FilterError} if the text is invalid, a pattern is invalid, or the expression contradicts the schema
 *
 * @remarks The {@link https://github.com/plinth-engines/plinth/blob/main/site/reference/filter.md | reference page} has
 * the whole language.
 *
 * @example
 * ```ts
 * import { compile } from 'plinth/filter'
 *
 * const running = compile<{ Status: string }>('Status == "running"')
 * running.test({ Status: 'running' }) // true
 * running.select([{ Status: 'running' }, { Status: 'dead' }]).length // 1
 * ```
 */
export function compile<T = unknown>(
  expression: string | Expression,
  options: CompileOptions<T> = {},
): Filter<T> {
  return compileWith(everything, expression, options)
}
