import type { Expression } from './ast.ts'
import { type Generated, generate, mayGenerate } from './codegen.ts'
import type { Context } from './context.ts'

/** After this many data, generating code has paid for itself. */
const hot = 400

/** What a filter runs. */
interface Running<T> {
  test: (datum: T) => boolean
  select: <Row extends T>(rows: readonly Row[]) => Row[]
}

/** Turns a filter of closures to generated code when it has seen enough data. */
export function tierUp<T>(filter: Running<T>, ast: Expression, context: Context): void {
  const { test, select } = filter
  let generated: Generated | undefined
  let seen = 0
  const heat = (count: number): void => {
    if (seen >= hot) return
    seen += count
    if (seen < hot || !mayGenerate()) return
    generated = generate(ast, context)
    // A frozen filter goes on through the functions it has, which know the way.
    if (Object.isFrozen(filter)) return
    filter.test = generated.test
    filter.select = generated.select as Running<T>['select'] // the rows that come back are some of those that went in
  }
  filter.test = (datum) => {
    heat(1)
    return generated === undefined ? test(datum) : generated.test(datum)
  }
  filter.select = <Row extends T>(rows: readonly Row[]): Row[] => {
    heat(rows.length)
    return generated === undefined ? select(rows) : (generated.select(rows) as Row[]) // as above
  }
}
