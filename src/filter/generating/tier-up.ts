import type { Expression } from '../ast.ts'
import { checkRows } from '../evaluating/check-rows.ts'
import type { Context } from '../evaluating/context.ts'
import { type Generated, generate, mayGenerate } from './codegen.ts'

/** After this many data, generating code has paid for itself. */
const hot = 400

/** The functions of a filter. */
interface Running<T> {
  test: (datum: T) => boolean
  select: <Row extends T>(rows: readonly Row[]) => Row[]
}

/**
 * Returns what a filter of closures runs; it turns the filter to generated code when that has seen enough data.
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
    // A frozen filter goes on through the functions it has, which know the way.
    const running = filter()
    if (Object.isFrozen(running)) return
    running.test = generated.test
    running.select = generated.select as Running<T>['select'] // the rows that come back are some of those that went in
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
