import { check } from '../checking/check.ts'
import { compile } from '../compiling/compile.ts'
import type { Filter } from '../compiling/evaluator.ts'
import { FilterError, type FilterProblem, problemOf } from '../error.ts'
import type { FilterSchema } from '../kinds/schema.ts'

/**
 * What a filter box contains: the `detail` of its `change` event. It has a `filter`, or else an `error`.
 */
export type FilterChange<T = unknown> =
  | {
      /** The text of the box. */
      readonly text: string
      /** Its filter; `undefined` for an empty box, which every row passes. */
      readonly filter: Filter<T> | undefined
      readonly error?: undefined
    }
  | {
      readonly text: string
      readonly filter?: undefined
      /** What is wrong with the text. */
      readonly error: FilterError
    }

/** A text with its filter, and everything that is wrong with it. */
export interface Judged {
  readonly change: FilterChange
  readonly problems: readonly FilterProblem[]
}

export function judge(text: string, schema: FilterSchema | undefined): Judged {
  if (text.trim() === '') return { change: { text, filter: undefined }, problems: [] }
  try {
    return { change: { text, filter: compile(text, { schema }) }, problems: [] }
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    const problems = schema === undefined ? [] : check(text, schema)
    return { change: { text, error }, problems: problems.length > 0 ? problems : [problemOf(error)] }
  }
}
