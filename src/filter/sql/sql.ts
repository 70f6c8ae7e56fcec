import { nearest } from '../../kernel/nearest.ts'
import { checkOptionNames, type OptionNames } from '../../kernel/option-names.ts'
import { choice } from '../choice.ts'
import { contextOf } from '../compiling/context-of.ts'
import type { Filter } from '../compiling/evaluator.ts'
import { type SqlColumn, SqlWriter } from './sql-writer.ts'

/**
 * The databases {@link toSql} writes for.
 */
export type SqlDialect = 'postgres' | 'sqlite'

/**
 * Options of {@link toSql}.
 */
export interface SqlOptions {
  /** The column of a selector, by the selector's canonical text: `Status`, `Meta.team`. */
  readonly columns: Readonly<Record<string, SqlColumn>>
  /** The database that runs the condition. */
  readonly dialect: SqlDialect
  /**
   * The number of the first parameter in PostgreSQL, if the statement has parameters before the condition; 1 by
   * default. (SQLite counts `?` by position.)
   */
  readonly firstParameter?: number | undefined
}

const sqlOptions: OptionNames<SqlOptions> = { columns: true, dialect: true, firstParameter: true }

/**
 * A condition for a WHERE clause, with its parameters apart.
 */
export interface SqlCondition {
  /**
   * The condition; parameters are `$1`, `$2`, … in PostgreSQL and `?` in SQLite. Beside another, put it in parentheses.
   */
  readonly text: string
  /** The parameters, in the types of the fields' kinds. */
  readonly values: readonly (string | number | bigint | boolean)[]
}

/**
 * Writes a filter as a SQL condition that the same rows pass.
 *
 * @remarks
 * Pass {@link compile} a schema or `kinds`: without one, every word is sent to the database as a string, so that
 * `On == true` matches no boolean in SQLite and times are compared as strings there. NULL stands for null and for a
 * missing key. Lists are arrays in PostgreSQL and JSON text in SQLite. No string in a database contains NUL or an
 * unpaired surrogate, so none equals or contains a value that does; and no column may contain NaN, which PostgreSQL
 * treats as the largest number. `now` is the moment of this call. The caller's values reach the database only as
 * parameters.
 *
 * @throws {@link FilterError} of kind `type` for parts that SQL cannot express identically: regular expressions other
 * than a literal with `^` or `$`, quantifiers, `ignoring case`, durations, times in SQLite, a selector without a column
 *
 * @example
 * ```ts
 * import { compile, toSql } from 'plinth/filter'
 * import * as z from 'zod'
 *
 * const Job = z.object({ Status: z.string(), Priority: z.int() })
 * const filter = compile('Status == "running" and Priority > 50', { schema: Job })
 * toSql(filter, { columns: { Status: 'status', Priority: 'priority' }, dialect: 'postgres' })
 * // { text: '"status" = $1 AND "priority" > $2::bigint', values: ['running', 50] }
 * ```
 */
export function toSql<T>(filter: Filter<T>, options: SqlOptions): SqlCondition {
  checkOptionNames('toSql', options, sqlOptions, nearest)
  const { dialect, columns, firstParameter = 1 } = options
  // The quotes of another database may have another meaning.
  choice<SqlDialect>('dialect', dialect, ['postgres', 'sqlite'])
  if (!Number.isSafeInteger(firstParameter) || firstParameter < 1) {
    throw new TypeError(`firstParameter is a whole number from 1, not ${firstParameter}`)
  }
  const context = contextOf(filter)
  const writer = new SqlWriter(context, columns, dialect === 'postgres', firstParameter)
  if (context.unknown !== undefined) {
    throw writer.cannot(filter.ast, 'a value that stands for missing fields')
  }
  return { text: writer.condition(filter.ast, false), values: writer.values }
}
