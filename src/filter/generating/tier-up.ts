import type { Expression } from '../ast.ts'
import { checkRows } from '../evaluating/check-rows.ts'
import type { Context } from '../evaluating/context.ts'
import { type Generated, generate, mayGenerate } from './codegen.ts'

/** The number of rows after which generating code pays off. */
const hot = 400

/** The functions of a filter. */
interface Running<T> {
  test: (datum: T) => boolean
  select: <Row extends T>(rows: readonly Row[]) => Row[]
}

/**
 * Returns what a filter of closures runs; it switches the filter to generated code after enough rows.
 *
 * `filter` returns the filter that is made with these functions. Overwriting the functions of each compiled filter
 * instead keeps it alive until the next full garbage collection, which doubled the time to compile.
 */
export function tierUp<T>(
  { test, select }: Running<T>,
  filter: () => Running<T>,
  ast: Expression,
  context: Context,
): Running<T> {
  let generated: Generated | undefined
  let seen = 0
  const heat = (count: number): void => {
    if (seen >= hot) return
    seen += count
    if (seen < hot || !mayGenerate()) return
    generated = generate(ast, context)
    // A frozen filter keeps its functions, which delegate to the new ones.
    const running = filter()
    if (Object.isFrozen(running)) return
    running.test = generated.test
    running.select = generated.select as Running<T>['select'] // the result is a subset of the input
  }
  return {
    test: (datum) => {
      heat(1)
      return generated === undefined ? test(datum) : generated.test(datum)
    },
    select: <Row extends T>(rows: readonly Row[]): Row[] => {
      checkRows(rows)
      heat(rows.length)
      return generated === undefined ? select(rows) : (generated.select(rows) as Row[]) // as above
    },
  }
}
