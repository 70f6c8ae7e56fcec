import type { Context } from './context.ts'
import { contextIn, type Filter } from './evaluator.ts'

/** What a filter was compiled with, for what looks into filters. */
export function contextOf<T>(filter: Filter<T>): Context {
  try {
    return contextIn(filter)
  } catch {
    throw new TypeError('expected a filter of compile(), not its text')
  }
}
