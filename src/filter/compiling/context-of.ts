import type { Context } from '../evaluating/context.ts'
import { parametersOf, unbound } from './bind.ts'
import { contextIn, type Filter } from './evaluator.ts'

/** The context in which a filter was compiled; throws if its parameters have no values yet. */
export function contextOf<T>(filter: Filter<T>): Context {
  const context = contextIn(filter)
  if (context === undefined) throw new TypeError('expected a filter of compile(), not its text')
  const [parameter] = parametersOf(filter.ast)
  if (parameter !== undefined) throw unbound(parameter, context.source)
  return context
}
