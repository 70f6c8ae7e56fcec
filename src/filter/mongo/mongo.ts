import { nearest } from '../../kernel/nearest.ts'
import { checkOptionNames, type OptionNames } from '../../kernel/option-names.ts'
import { contextOf } from '../compiling/context-of.ts'
import type { Filter } from '../compiling/evaluator.ts'
import type { MongoQuery } from '../operators/mongo-rules.ts'
import { MongoWriter } from './mongo-writer.ts'

/**
 * Options of {@link toMongo}.
 */
export interface MongoOptions {
  /**
   * Where the documents hold a field under another path: `{ ID: '_id' }`, by the selector's canonical text. Other fields
   * are read where the rows of the filter have them.
   */
  readonly fields?: Readonly<Record<string, string>> | undefined
}

const mongoOptions: OptionNames<MongoOptions> = { fields: true }

/**
 * Writes a filter as a MongoDB query that the same documents match.
 *
 * @remarks
 * Pass {@link compile} a schema or `kinds`: the query depends on whether a field is a string, a list or a time. Times
 * are dates, to the millisecond. null and a missing field are the same, and no document may contain NaN. `now` is the
 * moment of this call. The caller's values reach the query only as values, never as operators.
 *
 * @throws {@link FilterError} of kind `type` for parts that a query cannot express identically: regular expressions
 * other than a literal with `^` or `$`, `ignoring case`, durations, quantifiers over maps, or over strings and numbers
 * with `or` or `not`, a selector through a list, and a name that contains a dot or begins with `$`
 *
 * @example
 * ```ts
 * import { compile } from 'plinth/filter'
 * import { toMongo } from 'plinth/filter/mongo'
 * import * as z from 'zod'
 *
 * const Job = z.object({ ID: z.string(), Priority: z.int(), Tags: z.array(z.string()) })
 * const filter = compile('ID == "web" and Priority > 50 and gpu not in Tags', { schema: Job })
 * toMongo(filter, { fields: { ID: '_id' } })
 * // { $and: [{ _id: 'web' }, { Priority: { $gt: 50 } }, { Tags: { $not: { $elemMatch: { $eq: 'gpu' } } } }] }
 * ```
 */
export function toMongo<T>(filter: Filter<T>, options: MongoOptions = {}): MongoQuery {
  checkOptionNames('toMongo', options, mongoOptions, nearest)
  const context = contextOf(filter)
  const writer = new MongoWriter(context, options.fields ?? {})
  if (context.unknown !== undefined) {
    throw writer.cannot(filter.ast, 'a value that stands for missing fields')
  }
  return writer.query(filter.ast)
}
