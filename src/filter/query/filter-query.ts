import { nearest } from '../../kernel/nearest.ts'
import { checkOptionNames, type OptionNames } from '../../kernel/option-names.ts'
import { describeFields } from '../checking/describe-fields.ts'
import { compile } from '../compiling/compile.ts'
import { type CompileOptions, compileOptions } from '../compiling/compiler.ts'
import type { Filter } from '../compiling/evaluator.ts'
import { FilterError, type FilterProblem, problemOf } from '../error.ts'
import type { FilterSchema } from '../kinds/schema.ts'
import { defaultLength } from '../reading/limits.ts'

/**
 * Options of {@link filterQuery}.
 */
export interface FilterQueryOptions<T> extends Omit<CompileOptions<T>, 'schema'> {
  /** The name of the query parameter; `filter` by default. */
  readonly name?: string | undefined
}

const filterQueryOptions = /* @__PURE__ */ (() => {
  const { schema: _, ...names } = compileOptions
  return { ...names, name: true } satisfies OptionNames<FilterQueryOptions<unknown>>
})()

/**
 * Why a request is answered with 400: JSON for a program, and `caret` for a person.
 */
export interface FilterQueryProblem extends FilterProblem {
  /** The line of the expression, and under it a mark below the mistake. */
  readonly caret: string
}

/**
 * What a request asks for; `filter` is undefined if it gives no expression.
 */
export type FilterQueryResult<T> =
  | { readonly ok: true; readonly filter: Filter<T> | undefined }
  | { readonly ok: false; readonly status: 400; readonly problem: FilterQueryProblem }

/**
 * A query parameter that takes an expression.
 */
export interface FilterQuery<T> {
  /**
   * Compiles what a framework read from the query string. An absent or empty value is no filter; a parameter that is
   * given twice is refused.
   */
  readonly read: (given: unknown) => FilterQueryResult<T>
  /** The parameter object for an OpenAPI document. */
  readonly openapi: {
    readonly name: string
    readonly in: 'query'
    readonly required: false
    readonly description: string
    readonly schema: { readonly type: 'string'; readonly maxLength: number }
  }
}

/**
 * Declares a query parameter that filters the rows of a list by an expression, for any HTTP framework.
 *
 * @param schema - of a row; an expression that does not fit it is answered with 400 before any row is read
 * @param options - those of `compile`; `limits` bounds what one caller may ask
 *
 * @example
 * ```ts
 * import { filterQuery } from 'plinth/filter'
 * import * as z from 'zod'
 *
 * const jobs = filterQuery(z.object({ Status: z.enum(['running', 'dead']), Priority: z.int() }))
 * const read = jobs.read('Status == "runing"')
 * read.ok ? undefined : read.problem.suggestion // '"running"'
 * jobs.read(undefined) // { ok: true, filter: undefined }
 * ```
 */
export function filterQuery<T>(schema: FilterSchema<T>, options: FilterQueryOptions<T> = {}): FilterQuery<T> {
  checkOptionNames<FilterQueryOptions<unknown>>('filterQuery', options, filterQueryOptions, nearest)
  const { name = 'filter', ...compiling } = options
  const refuse = (problem: FilterQueryProblem): FilterQueryResult<T> => ({ ok: false, status: 400, problem })
  return {
    read: (given) => {
      if (given === undefined || given === null || given === '') return { ok: true, filter: undefined }
      if (typeof given !== 'string') {
        const message = `${name} is given more than once; join the expressions with "and"`
        return refuse({ kind: 'parse', message, span: { start: 0, end: 0, line: 1, column: 1 }, caret: '' })
      }
      try {
        return { ok: true, filter: compile<T>(given, { ...compiling, schema }) }
      } catch (error) {
        if (!(error instanceof FilterError)) throw error
        return refuse({ ...problemOf(error), caret: error.caret() })
      }
    },
    get openapi(): FilterQuery<T>['openapi'] {
      const fields = describeFields(schema, compiling.kinds === undefined ? {} : { kinds: compiling.kinds })
      return {
        name,
        in: 'query',
        required: false,
        description: `An expression that rows must match, such as \`${exampleOf(fields[0])}\`. Fields: ${fields
          .map(({ selector, kind, of }) => `${selector} (${of === undefined ? kind : `${kind} of ${of}`})`)
          .join(', ')}.`,
        schema: { type: 'string', maxLength: compiling.limits?.length ?? defaultLength },
      }
    },
  }
}

const exampleOf = (field: ReturnType<typeof describeFields>[number] | undefined): string => {
  if (field === undefined) return 'Name == "web"'
  const [text] = field.texts ?? []
  return text === undefined ? `${field.selector} is present` : `${field.selector} == ${JSON.stringify(text)}`
}
