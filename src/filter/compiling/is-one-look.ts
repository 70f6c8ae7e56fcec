import { needsBudget } from '../evaluating/budget.ts'
import { contextOf } from './context-of.ts'
import type { Filter } from './evaluator.ts'

/** Whether a filter does the same small amount of work for every row, however large the row is. */
export const isOneLook = <T>(filter: Filter<T>): boolean => !needsBudget(filter.ast, contextOf(filter))
