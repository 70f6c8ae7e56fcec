import type { Expression } from '../ast.ts'
import type { Columns } from '../columns/columns.ts'
import type { FilteredRows } from '../columns/over.ts'
import { needsBudget } from '../evaluating/budget.ts'
import { checkRows } from '../evaluating/check-rows.ts'
import { closureOf } from '../evaluating/closures.ts'
import type { Check, Context } from '../evaluating/context.ts'
import type { ParameterValues } from '../kinds/parameters.ts'
import { remember } from '../reading/sources.ts'
import { parametersOf, unbound } from './bind.ts'
import { type Kit, required } from './part.ts'

/**
 * How an expression runs: as `closures`, which work everywhere, or as generated code (`codegen`), which is faster but
 * needs a host that allows code generation from strings. `auto` starts with closures and switches to generated code if
 * that is allowed and the filter is used often enough. All give the same results and errors.
 */
export type Evaluator = 'auto' | 'closures' | 'codegen'

/**
 * A compiled expression.
 */
export interface Filter<T> {
  /** The text of the expression. */
  readonly source: string
  /** Its syntax tree. */
  readonly ast: Expression
  /** Whether a row matches. Throws a {@link FilterError} if the expression cannot be applied to the row. */
  readonly test: (datum: T) => boolean
  /**
   * Binds values to the parameters: returns a filter of the same expression. Values are never parsed as expressions.
   *
   * @throws {@link FilterError} of kind `type` if one is missing, misspelt or not of the declared kind
   */
  readonly bind: (values: ParameterValues) => Filter<T>
  /** The matching rows, in order. Throws at the first row for which {@link Filter.test} would throw. */
  readonly select: <Row extends T>(rows: readonly Row[]) => Row[]
  /**
   * Caches the results for some rows, for repeated queries: only rows that were edited since are tested again.
   *
   * @param rows - an array, which is copied, or {@link Columns} that several filters share
   */
  readonly over: <Row extends T>(rows: readonly Row[] | Columns<Row>) => FilteredRows<Row>
}

type Test<T> = Filter<T>['test']
type Select<T> = Filter<T>['select']
type Bind<T> = Filter<T>['bind']

const contextBrand: unique symbol = /* @__PURE__ */ Symbol.for('plinth filter context')
const restBrand: unique symbol = /* @__PURE__ */ Symbol.for('plinth filter rest')

class CompiledFilter<T> implements Filter<T> {
  readonly source: string
  test: Test<T>
  select: Select<T>
  readonly bind: Bind<T>
  readonly #ast: Expression
  readonly #context: Context
  readonly #kit: Kit

  constructor(
    ast: Expression,
    context: Context,
    kit: Kit,
    bind: Bind<T>,
    test: Test<T>,
    select: Select<T> = selectBy(test),
  ) {
    this.#kit = kit
    this.bind = bind
    this.source = context.source
    this.#ast = ast
    this.#context = context
    this.test = test
    this.select = select
  }

  get ast(): Expression {
    return remember(this.source, this.#ast)
  }

  /** A property, so that it can be taken off the filter like the others. */
  readonly over = <Row extends T>(rows: readonly Row[] | Columns<Row>): FilteredRows<Row> =>
    required(this.#kit.over, 'liveRows')(rows, {
      ast: this.#ast,
      test: (row: Row) => this.test(row),
      context: () => {
        const [parameter] = parametersOf(this.#ast)
        if (parameter !== undefined) throw unbound(parameter, this.source)
        return this.#context
      },
    })

  get [contextBrand](): Context {
    return this.#context
  }

  /** A filter of some of the operands of its `and`, or of the whole; positions are those in the whole text. */
  [restBrand](operands: readonly Expression[]): Filter<T> {
    const { start, end } = this.#ast
    const [only] = operands
    const tree: Expression =
      only !== undefined && operands.length === 1 ? only : { type: 'and', operands, start, end }
    // No parameter is left.
    const rest: Filter<T> = filterOf(tree, this.#context, 'auto', this.#kit, () => rest)
    return rest
  }
}

/** The context of a filter of any copy of the package; `undefined` for any other value. */
export const contextIn = (filter: unknown): Context | undefined =>
  Object(filter)[contextBrand] as Context | undefined

/** The filter of some operands, made by the copy of the package that made the filter. */
export const restOf = <T>(filter: Filter<T>, operands: readonly Expression[]): Filter<T> =>
  (filter as CompiledFilter<T>)[restBrand](operands)

const selectBy =
  <T>(test: Test<T>): Select<T> =>
  <Row extends T>(rows: readonly Row[]): Row[] => {
    checkRows(rows)
    // The current rows, as in generated code: a row that a getter adds is not tested.
    const { length } = rows
    const selected: Row[] = []
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as Row // a hole is tested like any other value
      if (test(row)) selected.push(row)
    }
    return selected
  }

export function filterOf<T>(
  ast: Expression,
  context: Context,
  evaluator: Evaluator,
  kit: Kit,
  bind: Bind<T>,
): Filter<T> {
  const { codegen, fast } = kit
  const [parameter] = Object.keys(context.parameters).length === 0 ? [] : parametersOf(ast)
  if (parameter !== undefined) {
    const test = () => {
      throw unbound(parameter, context.source)
    }
    return new CompiledFilter<T>(ast, context, kit, bind, test, test)
  }
  if (evaluator === 'codegen') {
    const { test, select } = required(codegen, 'generatedCode').generate(ast, context)
    // The result is a subset of the input.
    return new CompiledFilter<T>(ast, context, kit, bind, test, select as Select<T>)
  }
  const { work } = context
  const checkOf = (): Check => {
    const check = closureOf(ast, { ...context, fast })
    if (!needsBudget(ast, context)) return check
    return (datum) => {
      work.begin()
      return check(datum)
    }
  }
  // The extra arguments of `rows.filter(filter.test)` are taken for a scope, which nothing at the top level reads.
  if (evaluator === 'closures') return new CompiledFilter<T>(ast, context, kit, bind, checkOf())
  // Built when first needed: many filters are compiled only to validate them.
  let check: Check | undefined
  const test: Test<T> = (datum) => {
    check ??= checkOf()
    return check(datum)
  }
  const cold = { test, select: selectBy(test) }
  const running = codegen?.tierUp(cold, () => filter, ast, context) ?? cold
  const filter: CompiledFilter<T> = new CompiledFilter(ast, context, kit, bind, running.test, running.select)
  return filter
}
