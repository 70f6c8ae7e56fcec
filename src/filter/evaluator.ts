import type { Expression } from './ast.ts'
import { closureOf } from './closures.ts'
import type { Generated } from './codegen.ts'
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

/** After this many data, generating code has paid for itself. */
const hot = 400

type Test<T> = Filter<T>['test']
type Select<T> = Filter<T>['select']

class CompiledFilter<T> implements Filter<T> {
  readonly source: string
  test: Test<T>
  select: Select<T>
  readonly #ast: Expression
  readonly #context: Context

  constructor(ast: Expression, context: Context, test: Test<T>) {
    this.source = context.source
    this.#ast = ast
    this.#context = context
    this.test = test
    this.select = <Row extends T>(rows: readonly Row[]): Row[] => {
      // The rows there are now, as in generated code: one that a getter adds is not looked at.
      const { length } = rows
      const selected: Row[] = []
      for (let at = 0; at < length; at += 1) {
        const row = rows[at] as Row // a hole is put to the test like any other value
        if (test(row)) selected.push(row)
      }
      return selected
    }
  }

  get ast(): Expression {
    return remember(this.source, this.#ast)
  }

  static contextOf<T>(filter: Filter<T>): Context {
    if (!(#context in filter)) throw new TypeError('this is not a filter that compile() made')
    return filter.#context
  }
}

/** What a filter was compiled with, for the rest of the package. */
export const contextOf = CompiledFilter.contextOf

export function filterOf<T>(ast: Expression, context: Context, evaluator: Evaluator, kit: Kit): Filter<T> {
  const { codegen } = kit
  if (evaluator === 'codegen') {
    const { test, select } = required(codegen, 'generatedCode').generate(ast, context)
    const filter = new CompiledFilter<T>(ast, context, test)
    // The rows that come back are some of those that went in.
    filter.select = select as Select<T>
    return filter
  }
  const checkOf = () =>
    closureOf(ast, kit.hasten === undefined ? context : { ...context, hasten: kit.hasten })
  if (evaluator === 'auto') return warmingFilter(ast, context, checkOf, codegen)
  const check = checkOf()
  return new CompiledFilter<T>(ast, context, (datum) => check(datum, undefined))
}

function turn<T>(filter: CompiledFilter<T>, { test, select }: Generated): void {
  // A frozen filter goes on through the functions it has, which know the way.
  if (Object.isFrozen(filter)) return
  filter.test = test
  filter.select = select as Select<T> // as above
}

/** Starts with closures, and turns to generated code when it has seen enough data. */
function warmingFilter<T>(
  ast: Expression,
  context: Context,
  checkOf: () => Check,
  codegen: Kit['codegen'],
): Filter<T> {
  // Built when first needed: many filters are compiled only to see whether they are right.
  let check: Check | undefined
  let generated: Generated | undefined
  let seen = 0
  const heat = (count: number): void => {
    if (seen >= hot) return
    seen += count
    if (seen < hot || codegen === undefined || !codegen.mayGenerate()) return
    generated = codegen.generate(ast, context)
    turn(filter, generated)
  }
  const test = (datum: T): boolean => {
    if (generated !== undefined) return generated.test(datum)
    heat(1)
    check ??= checkOf()
    return check(datum, undefined)
  }
  const filter = new CompiledFilter<T>(ast, context, test)
  const { select } = filter
  filter.select = <Row extends T>(rows: readonly Row[]): Row[] => {
    heat(rows.length)
    return generated === undefined ? select(rows) : (generated.select(rows) as Row[]) // as above
  }
  return filter
}
