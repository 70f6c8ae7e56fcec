import type { Expression } from './ast.ts'
import { type Generated, generate, mayGenerate } from './codegen.ts'
import type { Context } from './context.ts'
import type { Filter } from './evaluator.ts'

/** After this many data, generating code has paid for itself. */
const hot = 400

type Changeable<T> = { -readonly [Name in keyof Pick<Filter<T>, 'test' | 'select'>]: Filter<T>[Name] }

/** Turns a filter of closures to generated code when it has seen enough data. */
export function warm<T>(filter: Changeable<T>, ast: Expression, context: Context): void {
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
    filter.select = generated.select as Filter<T>['select'] // the rows that come back are some of those that went in
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
