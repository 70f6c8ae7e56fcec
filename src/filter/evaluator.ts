import type { Expression } from './ast.ts'
import { closureOf } from './closures.ts'
import type { Check, Context } from './context.ts'
import { type Kit, required } from './part.ts'
import { remember } from './sources.ts'

/**
 * How an expression runs: as `closures`, which work everywhere, or as generated code (`codegen`), which is
 * faster but needs a host that lets text become code. `auto` starts with closures and turns to generated code
 * where that is allowed and the filter is used enough to be worth it. All give the same answers and errors.
 *
 * @public
 */
export type Evaluator = 'auto' | 'closures' | 'codegen'

/**
 * A compiled expression.
 *
 * @public
 */
export interface Filter<T> {
  /** The text of the expression. */
  readonly source: string
  /** Its syntax tree. */
  readonly ast: Expression
  /** Whether a datum passes. Throws a {@link FilterError} where the expression does not fit the datum. */
  readonly test: (datum: T) => boolean
  /** The rows that pass, in their order. Throws at the first row that {@link Filter.test} would throw for. */
  readonly select: <Row extends T>(rows: readonly Row[]) => Row[]
}

type Test<T> = Filter<T>['test']
type Select<T> = Filter<T>['select']

class CompiledFilter<T> implements Filter<T> {
  readonly source: string
  test: Test<T>
  select: Select<T>
  readonly #ast: Expression
  readonly #context: Context

  constructor(ast: Expression, context: Context, test: Test<T>, select: Select<T> = selectBy(test)) {
    this.source = context.source
    this.#ast = ast
    this.#context = context
    this.test = test
    this.select = select
  }

  get ast(): Expression {
    return remember(this.source, this.#ast)
  }

  /** What a filter was compiled with; throws for what is no filter of ours. */
  static of<T>(filter: Filter<T>): Context {
    return (filter as CompiledFilter<T>).#context
  }
}

export const contextIn = CompiledFilter.of

const selectBy =
  <T>(test: Test<T>): Select<T> =>
  <Row extends T>(rows: readonly Row[]): Row[] => {
    // The rows there are now, as in generated code: one that a getter adds is not looked at.
    const { length } = rows
    const selected: Row[] = []
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as Row // a hole is put to the test like any other value
      if (test(row)) selected.push(row)
    }
    return selected
  }

export function filterOf<T>(ast: Expression, context: Context, evaluator: Evaluator, kit: Kit): Filter<T> {
  const { codegen, fast } = kit
  if (evaluator === 'codegen') {
    const { test, select } = required(codegen, 'generatedCode').generate(ast, context)
    // The rows that come back are some of those that went in.
    return new CompiledFilter<T>(ast, context, test, select as Select<T>)
  }
  const checkOf = () => closureOf(ast, { ...context, fast })
  // What `rows.filter(filter.test)` gives beside the row is taken for a scope, which nothing looks for at the top.
  if (evaluator === 'closures') return new CompiledFilter<T>(ast, context, checkOf())
  // Built when first needed: many filters are compiled only to see whether they are right.
  let check: Check | undefined
  const test: Test<T> = (datum) => {
    check ??= checkOf()
    return check(datum)
  }
  const cold = { test, select: selectBy(test) }
  const running = codegen?.tierUp(cold, () => filter, ast, context) ?? cold
  const filter: CompiledFilter<T> = new CompiledFilter(ast, context, running.test, running.select)
  return filter
}
