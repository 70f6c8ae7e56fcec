import type { Expression } from './ast.ts'
import { choice } from './choice.ts'
import type { Context } from './context.ts'
import { type Evaluator, type Filter, filterOf } from './evaluator.ts'
import { type FilterPart, type Kit, kitOf, required, without } from './part.ts'
import type { Patterns } from './patterns.ts'
import { isBexpr, type ParseOptions } from './read.ts'
import { ownScalars } from './scalars.ts'
import type { FilterSchema } from './schema.ts'
import { anyShape, type Kinds } from './shape.ts'
import { sourced } from './sources.ts'

/**
 * Options of {@link compile}, and of what {@link filterCompiler} makes.
 *
 * @public
 */
export interface CompileOptions<T> extends ParseOptions {
  /** What a datum looks like. With it, mistakes are refused before any datum is seen (dialect `standard`). */
  readonly schema?: FilterSchema<T>
  /** Kinds of fields, where neither schema nor value can tell. */
  readonly kinds?: Kinds
  /** How it runs; `auto` by default. */
  readonly evaluator?: Evaluator
  /** What stands for every field or key that is not there; without it, most are errors. */
  readonly unknown?: unknown
}

/**
 * A function that compiles expressions, once for many data.
 *
 * @public
 */
export type FilterCompiler = <T = unknown>(
  expression: string | Expression,
  options?: CompileOptions<T>,
) => Filter<T>

/**
 * Makes a compiler of the given parts, where every kilobyte counts: what is not imported is not in the bundle.
 * `compile` is one of all parts. The language, the answers and the kinds of errors are the same whatever the parts;
 * what needs a part that is not there is refused by that part's name.
 *
 * @param parts - any of `linearPatterns`, `fastPatterns`, `fastClosures`, `generatedCode`, `schemaChecks`,
 * `declaredKinds`, `builtExpressions` and `advice`
 *
 * @example
 * ```ts
 * import { fastClosures, filterCompiler } from 'plinth/filter'
 *
 * // No patterns, no generated code, no schemas.
 * const compile = filterCompiler(fastClosures)
 * compile<{ Status: string }>('Status == "running"').test({ Status: 'running' }) // true
 * ```
 *
 * @public
 */
export function filterCompiler(...parts: readonly FilterPart[]): FilterCompiler {
  const kit = kitOf(parts)
  return (expression, options = {}) => compileWith(kit, expression, options)
}

/** Compiles an expression with what there is. */
export function compileWith<T>(
  kit: Kit,
  expression: string | Expression,
  options: CompileOptions<T>,
): Filter<T> {
  const evaluator = choice<Evaluator>('evaluator', options.evaluator ?? 'auto', [
    'auto',
    'closures',
    'codegen',
  ])
  const { source, ast } = sourced(expression, options, kit)
  const standard = !isBexpr(options)
  const declared =
    options.schema === undefined
      ? anyShape
      : required(kit.schemas, 'schemaChecks').shapeOfSchema(options.schema)
  const context: Context = {
    source,
    patterns: kit.patterns?.(kit.search) ?? noPatterns,
    standard,
    scalars: kit.scalars ?? ownScalars,
    advise: kit.advise,
    unknown: Object.hasOwn(options, 'unknown') ? { value: options.unknown } : undefined,
    shape:
      options.kinds === undefined
        ? declared
        : required(kit.withKinds, 'declaredKinds')(declared, options.kinds),
  }
  if (standard) kit.schemas?.refute(ast, context, options.schema !== undefined)
  return filterOf<T>(ast, context, evaluator, kit)
}

const noPatterns: Patterns = { compile: () => without('linearPatterns') }
