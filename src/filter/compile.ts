import type { ZodType } from 'zod'
import type { Expression } from './ast.ts'
import { refutations } from './check.ts'
import type { Context } from './context.ts'
import { type Evaluator, type Filter, filterOf } from './evaluator.ts'
import { Patterns } from './patterns.ts'
import type { ParseOptions } from './read.ts'
import { shapeOfSchema } from './schema.ts'
import { anyShape, type Kinds, withKinds } from './shape.ts'
import { sourced } from './sources.ts'

/**
 * Options of {@link compile}.
 *
 * @public
 */
export interface CompileOptions<T> extends ParseOptions {
  /** What a datum looks like. With it, mistakes are refused before any datum is seen (dialect `standard`). */
  readonly schema?: ZodType<T>
  /** Kinds of fields, where neither schema nor value can tell. */
  readonly kinds?: Kinds
  /** How it runs. Default `auto`. */
  readonly evaluator?: Evaluator
  /** What stands for every field or key that is not there; without it, most are errors. */
  readonly unknown?: unknown
}

/**
 * Compiles an expression, once for many data.
 *
 * @param expression - text, or what `parse` returned
 * @throws {@link FilterError} where the text cannot be read, a pattern is bad, or the schema refutes it
 *
 * @remarks The language is that of spec document 001, "Filtering"; the reference page has the whole of it.
 *
 * @example
 * ```ts
 * import { compile } from 'plinth/filter'
 *
 * const running = compile<{ Status: string }>('Status == "running"')
 * running.test({ Status: 'running' }) // true
 * running.select([{ Status: 'running' }, { Status: 'dead' }]).length // 1
 * ```
 *
 * @public
 */
export function compile<T = unknown>(
  expression: string | Expression,
  options: CompileOptions<T> = {},
): Filter<T> {
  const { source, ast } = sourced(expression, options)
  const standard = options.dialect !== 'bexpr'
  const declared = options.schema === undefined ? anyShape : shapeOfSchema(options.schema)
  const context: Context = {
    source,
    patterns: new Patterns(),
    suggest: standard,
    throughLists: standard,
    unknown: Object.hasOwn(options, 'unknown') ? { value: options.unknown } : undefined,
    shape: options.kinds === undefined ? declared : withKinds(declared, options.kinds),
  }
  if (standard) refuse(ast, context, options.schema !== undefined)
  return filterOf<T>(ast, context, options.evaluator ?? 'auto')
}

/** Throws the first of the problems that need no datum: bad patterns, and what a schema refutes. */
function refuse(ast: Expression, context: Context, hasSchema: boolean): void {
  const known = hasSchema ? context : { ...context, shape: anyShape }
  for (const error of refutations(ast, known)) {
    if (error.kind !== 'not-found' || context.unknown === undefined) throw error
  }
}
