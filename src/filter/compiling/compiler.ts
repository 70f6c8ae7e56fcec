import { checkOptionNames, type OptionNames } from '../../kernel/option-names.ts'
import { systemNow } from '../../kernel/system-env.ts'
import type { Expression } from '../ast.ts'
import { choice } from '../choice.ts'
import type { Context } from '../evaluating/context.ts'
import type { Patterns } from '../evaluating/patterns.ts'
import { defaultSteps, Work } from '../evaluating/work.ts'
import { ownScalars } from '../kinds/scalars.ts'
import type { FilterSchema } from '../kinds/schema.ts'
import { anyShape, type Computed, type Kinds } from '../kinds/shape.ts'
import type { Missing } from '../operators/rules.ts'
import { isBexpr, type ParseOptions, parseOptions } from '../reading/read.ts'
import { sourced } from '../reading/sources.ts'
import { bound } from './bind.ts'
import { type Evaluator, type Filter, filterOf } from './evaluator.ts'
import { type FilterPart, type Kit, kitOf, required, without } from './part.ts'

/**
 * Options of {@link compile}, and of compilers of {@link filterCompiler}.
 */
export interface CompileOptions<T> extends ParseOptions {
  /** The schema of a row. With it, errors are reported before any row is seen (dialect `standard`). */
  readonly schema?: FilterSchema<T> | undefined
  /** Kinds of fields that neither schema nor value can determine. */
  readonly kinds?: Kinds | undefined
  /**
   * Fields that are computed from a row, such as `{ age: { kind: 'int', of: (row) => … } }`. They are slower than properties,
   * and `toSql` needs a column for each.
   */
  readonly computed?: Computed<T> | undefined
  /** How the expression runs; `auto` by default. */
  readonly evaluator?: Evaluator | undefined
  /** The value of every missing field or key; without it, {@link CompileOptions.missing} says what they do. */
  readonly unknown?: unknown
  /**
   * What a comparison does where a row lacks the field, or has null there. `error`, the default: it throws, but for keys of
   * maps and optional fields. `false`: it does not hold, nor does its negation, as in SQL. `null`: the value equals,
   * contains and matches nothing, so that `!=` holds. In the last two it is nil and empty.
   */
  readonly missing?: Missing | undefined
  /** The clock of `now`, in milliseconds since 1970; the system's by default. It is read when a row is tested. */
  readonly now?: (() => number) | undefined
}

export const compileOptions: OptionNames<CompileOptions<unknown>> = /* @__PURE__ */ (() => ({
  ...parseOptions,
  schema: true,
  kinds: true,
  computed: true,
  evaluator: true,
  now: true,
  unknown: true,
  missing: true,
}))()

/**
 * A function that compiles expressions, once for many data.
 */
export type FilterCompiler = <T = unknown>(
  expression: string | Expression,
  options?: CompileOptions<T>,
) => Filter<T>

/**
 * Creates a compiler from the given parts, for bundles where every kilobyte counts: parts that are not imported are not
 * bundled. `compile` has all parts. The language, the results and the kinds of errors do not depend on the parts; an
 * expression that needs a missing part is refused with that part's name.
 *
 * @param parts - any of `linearPatterns`, `fastPatterns`, `fastClosures`, `generatedCode`, `schemaChecks`,
 * `declaredKinds`, `builtExpressions`, `liveRows` and `advice`
 *
 * @example
 * ```ts
 * import { fastClosures, filterCompiler } from 'plinth/filter'
 *
 * // No patterns, no generated code, no schemas.
 * const compile = filterCompiler(fastClosures)
 * compile<{ Status: string }>('Status == "running"').test({ Status: 'running' }) // true
 * ```
 */
export function filterCompiler(...parts: readonly FilterPart[]): FilterCompiler {
  const kit = kitOf(parts)
  return (expression, options = {}) => compileWith(kit, expression, options)
}

/** Compiles an expression with the available parts. */
export function compileWith<T>(
  kit: Kit,
  expression: string | Expression,
  options: CompileOptions<T>,
): Filter<T> {
  checkOptionNames<CompileOptions<unknown>>('compile', options, compileOptions, kit.suggest)
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
    now: options.now ?? systemNow,
    work: new Work(options.limits?.steps ?? defaultSteps, source),
    parameters: options.parameters ?? {},
    unknown: options.unknown === undefined ? undefined : { value: options.unknown },
    missing: choice<Missing>('missing', options.missing ?? 'error', ['error', 'false', 'null']),
    shape:
      options.kinds === undefined && options.computed === undefined
        ? declared
        : required(kit.withKinds, 'declaredKinds')(declared, options.kinds, options.computed),
  }
  const finish = (tree: Expression): Filter<T> => {
    if (standard) kit.schemas?.refute(tree, context, options.schema !== undefined)
    return filterOf<T>(tree, context, evaluator, kit, (values) => finish(bound(ast, values, context)))
  }
  return finish(ast)
}

const noPatterns: Patterns = { compile: () => without('linearPatterns'), size: 0 }
