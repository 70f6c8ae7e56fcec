import { nearest } from '../../kernel/nearest.ts'
import { checkOptionNames, type OptionNames } from '../../kernel/option-names.ts'
import type { Expression } from '../ast.ts'
import { choice } from '../choice.ts'
import { contextOf } from '../compiling/context-of.ts'
import { type Filter, restOf } from '../compiling/evaluator.ts'
import { databases, parameterMark, type SqlDialect } from './databases.ts'
import { joined, type SqlColumns, SqlWriter } from './sql-writer.ts'

/**
 * Options of {@link toSql}.
 */
export interface SqlOptions {
  /** The column of a selector, by the selector's canonical text: `Status`, `Meta.team`. */
  readonly columns: SqlColumns
  /** The database that runs the condition. */
  readonly dialect: SqlDialect
  /**
   * The number of the first parameter in PostgreSQL, if the statement has parameters before the condition; 1 by
   * default. (SQLite counts `?` by position.)
   */
  readonly firstParameter?: number | undefined
  /**
   * Whether the database may decide a part only; `rest` of the result decides the rest of its rows. false by default:
   * what SQL cannot express is an error.
   */
  readonly partial?: boolean | undefined
}

const sqlOptions: OptionNames<SqlOptions> = {
  columns: true,
  dialect: true,
  firstParameter: true,
  partial: true,
}

/**
 * A condition for a WHERE clause, with its parameters apart.
 */
export interface SqlCondition {
  /**
   * The condition; parameters are `$1`, `$2`, … in PostgreSQL and `?` elsewhere. Beside another, put it in parentheses.
   */
  readonly text: string
  /** The parameters, in the types of the fields' kinds. */
  readonly values: readonly (string | number | bigint | boolean)[]
  /**
   * The condition between its parameters, for functions that are template tags, such as those of Kysely, Drizzle and
   * Prisma: `sql(strings, ...values)`. It has one more element than `values`.
   */
  readonly strings: TemplateStringsArray
}

/**
 * What {@link toSql} returns with `partial: true`.
 */
export interface PartialSqlCondition<T> extends SqlCondition {
  /**
   * The filter that must still run on the rows of the database; `undefined` if the condition decides everything. Its
   * `source` is the whole text, its `ast` the part.
   */
  readonly rest: Filter<T> | undefined
}

/**
 * Writes a filter as a SQL condition that the same rows pass.
 *
 * @remarks
 * Pass {@link compile} a schema or `kinds`: without one, every word is sent to the database as a string, so that
 * `On == true` matches no boolean in SQLite and times are compared as strings there. NULL stands for null and for a
 * missing key. Lists are arrays in PostgreSQL, `jsonb` if their elements are objects; in the others JSON. Times are
 * `timestamptz` in PostgreSQL, `datetime(6)` in UTC in MySQL and MariaDB, and RFC 3339 text in SQLite, which cannot use
 * an index for them. In MySQL text columns have the character set `utf8mb4`; strings are compared by code point,
 * regardless of their collation. No string in a database contains NUL or an unpaired surrogate, so none equals or contains a
 * value that does; and no column may contain NaN, which PostgreSQL treats as the largest number. `now` is the moment of
 * this call. The caller's values reach the database only as parameters.
 *
 * @throws {@link FilterError} of kind `type` for parts that SQL cannot express identically, unless `partial` is true:
 * regular expressions other than a literal with `^` or `$`, quantifiers over maps, `ignoring case`, durations, a selector
 * without a column
 *
 * @example
 * ```ts
 * import { compile, toSql } from 'plinth/filter'
 * import * as z from 'zod'
 *
 * const Job = z.object({ Status: z.string(), Priority: z.int() })
 * const filter = compile('Status == "running" and Priority > 50', { schema: Job })
 * const columns = { Status: 'status', Priority: 'priority' }
 * const { text, values } = toSql(filter, { columns, dialect: 'postgres' })
 * text // '"status" = $1 AND "priority" > $2::bigint'
 * values // ['running', 50]
 *
 * const mixed = compile('Priority > 50 and Status matches "run.*g"', { schema: Job })
 * const some = toSql(mixed, { columns, dialect: 'sqlite', partial: true })
 * some.text // '"priority" > ?'
 * some.rest?.test({ Status: 'running', Priority: 60 }) // true
 * ```
 */
export function toSql<T>(
  filter: Filter<T>,
  options: SqlOptions & { readonly partial: true },
): PartialSqlCondition<T>
export function toSql<T>(filter: Filter<T>, options: SqlOptions): SqlCondition
export function toSql<T>(filter: Filter<T>, options: SqlOptions): SqlCondition | PartialSqlCondition<T> {
  checkOptionNames('toSql', options, sqlOptions, nearest)
  const { dialect, columns, firstParameter = 1, partial = false } = options
  // The quotes of another database may have another meaning.
  choice<SqlDialect>('dialect', dialect, ['postgres', 'sqlite', 'mysql'])
  if (!Number.isSafeInteger(firstParameter) || firstParameter < 1) {
    throw new TypeError(`firstParameter is a whole number from 1, not ${firstParameter}`)
  }
  const context = contextOf(filter)
  const database = databases[dialect]
  const writer = new SqlWriter(context, columns, database)
  const written = (condition: string): SqlCondition => {
    const pieces = condition.split(parameterMark)
    const text = pieces.reduce(
      (before, piece, at) => before + database.placeholder(firstParameter + at - 1) + piece,
    )
    return {
      text,
      values: writer.values,
      strings: Object.freeze(Object.assign(pieces, { raw: [...pieces] })),
    }
  }
  if (!partial) return written(writer.condition(filter.ast, false))
  const { ast } = filter
  const texts: string[] = []
  const rest: Expression[] = []
  for (const operand of ast.type === 'and' ? ast.operands : [ast]) {
    const part = writer.part(operand)
    if (part !== undefined) texts.push(operand.type === 'or' ? `(${part.text})` : part.text)
    if (!part?.whole) rest.push(operand)
  }
  const condition = texts.length === 0 ? 'TRUE' : joined(texts, ' AND ')
  return { ...written(condition), rest: rest.length === 0 ? undefined : restOf(filter, rest) }
}
