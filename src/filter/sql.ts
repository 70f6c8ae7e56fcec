import type { Expression, Match, Selector, Value } from './ast.ts'
import { choice } from './choice.ts'
import type { Context } from './context.ts'
import { FilterError } from './error.ts'
import { contextOf, type Filter } from './evaluator.ts'
import { unwrap } from './kind-of.ts'
import { shapeAt } from './names.ts'
import { selectorText } from './selector-text.ts'
import type { Shape } from './shape.ts'
import { typedValue } from './typed-value.ts'

/**
 * The databases {@link toSql} writes for.
 *
 * @public
 */
export type SqlDialect = 'postgres' | 'sqlite'

/**
 * A column: its name, which is quoted, or any SQL expression, which is taken as it is.
 *
 * @public
 */
export type SqlColumn = string | { readonly sql: string }

/**
 * Options of {@link toSql}.
 *
 * @public
 */
export interface SqlOptions {
  /** Which column holds what a selector reads, by the selector's canonical text: `Status`, `Meta.team`. */
  readonly columns: Readonly<Record<string, SqlColumn>>
  readonly dialect: SqlDialect
  /**
   * The number of the first parameter in PostgreSQL, where the condition stands in a statement that has parameters
   * before it. Default 1. (In SQLite, `?` is counted by where it stands.)
   */
  readonly firstParameter?: number
}

/**
 * A condition for a WHERE clause, with its parameters apart.
 *
 * @public
 */
export interface SqlCondition {
  /** The condition; parameters are `$1`, `$2`, … in PostgreSQL and `?` in SQLite. Beside another, put it in parentheses. */
  readonly text: string
  /** The parameters, in the types of the fields' kinds. */
  readonly values: readonly (string | number | bigint | boolean)[]
}

/**
 * Writes a filter as a SQL condition that the same rows pass.
 *
 * @remarks
 * Give {@link compile} a schema or `kinds`: without one, every word goes to the database as a text, so that
 * `On == true` finds no boolean in SQLite and times are compared there as texts. NULL stands for null and for a
 * missing key. Lists are arrays in PostgreSQL and JSON text in SQLite. What the
 * caller of the filter wrote reaches the database only as parameters.
 *
 * @throws {@link FilterError} of kind `type` for what SQL cannot say in the same words: regular expressions
 * that are more than a text with `^` or `$`, quantifiers, `ignoring case`, durations, times in SQLite, a selector
 * without a column
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
 *
 * @public
 */
export function toSql<T>(filter: Filter<T>, options: SqlOptions): SqlCondition {
  const { dialect } = options
  // The quotes of another database may mean something else.
  choice<SqlDialect>('dialect', dialect, ['postgres', 'sqlite'])
  const { firstParameter = 1 } = options
  if (!Number.isSafeInteger(firstParameter) || firstParameter < 1) {
    throw new TypeError(`firstParameter is a whole number from 1, not ${firstParameter}`)
  }
  const context = contextOf(filter)
  const writer = new SqlWriter(context, options)
  if (context.unknown !== undefined) {
    throw writer.cannot(filter.ast, 'a value that stands for missing fields')
  }
  return { text: writer.condition(filter.ast, false), values: writer.values }
}

class SqlWriter {
  readonly values: (string | number | bigint | boolean)[] = []
  readonly #context: Context
  readonly #columns: Readonly<Record<string, SqlColumn>>
  readonly #postgres: boolean
  readonly #first: number
  /** Whether the comparison being written compares with NULL, and so is never true. */
  #hasNull = false

  constructor(context: Context, { columns, dialect, firstParameter = 1 }: SqlOptions) {
    this.#context = context
    this.#columns = columns
    this.#postgres = dialect === 'postgres'
    this.#first = firstParameter
  }

  cannot(node: { readonly start: number; readonly end: number }, what: string): FilterError {
    return new FilterError('type', `SQL cannot say this: ${what}`, this.#context.source, node)
  }

  /**
   * `exact`: the condition must be true or false, never NULL, because a `NOT` stands around it. Elsewhere NULL
   * is as good as false.
   */
  condition(node: Expression, exact: boolean): string {
    switch (node.type) {
      case 'and':
        return node.operands.map((operand) => this.#operand(operand, exact, ['or'])).join(' AND ')
      case 'or':
        return node.operands.map((operand) => this.#operand(operand, exact, ['and'])).join(' OR ')
      case 'not':
        return `NOT (${this.condition(node.operand, true)})`
      case 'match':
        return this.#match(node, exact)
      default:
        throw this.cannot(node, 'a quantifier')
    }
  }

  #operand(node: Expression, exact: boolean, inParentheses: readonly Expression['type'][]): string {
    const text = this.condition(node, exact)
    return inParentheses.includes(node.type) ? `(${text})` : text
  }

  #match(match: Match, exact: boolean): string {
    const shape = shapeAt(match.selector, this.#context, undefined)
    const mayBeNull = this.#mayBeNull(match.selector)
    const { op, negated } = match
    if (op === 'is nil') return `${this.#column(match.selector)} IS ${negated ? 'NOT ' : ''}NULL`
    if (match.ignoreCase) throw this.cannot(match, 'ignoring case, which every database does in its own way')
    this.#hasNull = false
    const positive = this.#positive(match, shape)
    if ((!mayBeNull && !this.#hasNull) || op === 'is empty') return negated ? `NOT (${positive})` : positive
    if (negated) return `(${positive}) IS NOT TRUE`
    return exact ? `(${positive}) IS TRUE` : positive
  }

  /** A column can be NULL where the kind is optional or not declared, and below a map, whose keys may be missing. */
  #mayBeNull({ path }: Selector): boolean {
    let shape: Shape = this.#context.shape
    for (const segment of path) {
      if (shape.type !== 'struct') return true
      shape = shape.fields.get(segment)?.shape ?? { type: 'any' }
    }
    return shape.type === 'any' || shape.type === 'optional' || shape.type === 'pointer'
  }

  #positive(match: Match, shape: Shape): string {
    const { op, operand } = match
    const kind = unwrap(shape)
    const column = this.#column(match.selector)
    switch (op) {
      case 'is empty':
        return this.#empty(match, column, kind)
      case 'in':
        return this.#contains(match, column, kind)
      case 'matches':
        return this.#matches(match, column)
      case 'one of': {
        const values = operand?.type === 'values' ? operand.values : []
        const list = values.map((value) => this.#parameter(value, shape, match))
        return list.length === 0 ? 'FALSE' : `${column} IN (${list.join(', ')})`
      }
      default: {
        const sign = op === '==' ? '=' : op
        if (operand?.type === 'field') {
          this.#comparable(match, kind)
          const other = unwrap(shapeAt(operand.selector, this.#context, undefined))
          if (other.type !== kind.type) throw this.cannot(match, 'a comparison of two kinds')
          const right = `${column} ${sign} ${this.#column(operand.selector)}`
          return this.#mayBeNull(operand.selector) ? `(${right}) IS TRUE` : right
        }
        if (operand?.type !== 'value') throw this.cannot(match, op)
        if (op !== '==' && kind.type === 'string') throw this.cannot(match, 'an order of texts')
        return `${column} ${sign} ${this.#parameter(operand, shape, match)}`
      }
    }
  }

  #comparable(match: Match, kind: Shape): void {
    if (kind.type === 'duration' || (kind.type === 'time' && !this.#postgres)) {
      throw this.cannot(match, `a comparison of ${kind.type === 'time' ? 'times' : 'durations'} as text`)
    }
    if (kind.type === 'list' || kind.type === 'map' || kind.type === 'struct' || kind.type === 'bytes') {
      throw this.cannot(match, `a comparison of a ${kind.type}`)
    }
  }

  #empty(match: Match, column: string, kind: Shape): string {
    if (kind.type === 'list') {
      return this.#postgres
        ? `coalesce(cardinality(${column}), 0) = 0`
        : `coalesce(json_array_length(${column}), 0) = 0`
    }
    if (kind.type === 'string' || kind.type === 'any') return `coalesce(${column}, '') = ''`
    throw this.cannot(match, `whether a ${kind.type} is empty`)
  }

  #contains(match: Match, column: string, kind: Shape): string {
    const { operand } = match
    if (operand?.type !== 'value') throw this.cannot(match, 'whether one field is in another')
    if (kind.type === 'list') {
      this.#comparable(match, unwrap(kind.of))
      const value = this.#parameter(operand, kind.of, match)
      return this.#postgres
        ? `${value} = ANY(${column})`
        : `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${value})`
    }
    if (kind.type !== 'string' && kind.type !== 'any')
      throw this.cannot(match, `what a ${kind.type} contains`)
    const value = this.#text(operand.text)
    return this.#postgres ? `strpos(${column}, ${value}) > 0` : `instr(${column}, ${value}) > 0`
  }

  #matches(match: Match, column: string): string {
    const pattern = this.#context.patterns.compile(
      match.operand?.type === 'value' ? match.operand.text : '',
      false,
    )
    const literals = pattern instanceof Error ? undefined : pattern.literals
    const [text = ''] = literals?.texts ?? []
    if (literals?.texts.length !== 1)
      throw this.cannot(match, 'a regular expression; SQL has others, or none')
    const { fromStart, toEnd } = literals
    if (fromStart && toEnd) return `${column} = ${this.#text(text)}`
    const length = [...text].length
    if (fromStart) return `substr(${column}, 1, ${length}) = ${this.#text(text)}`
    if (toEnd && length > 0) {
      return this.#postgres
        ? `right(${column}, ${length}) = ${this.#text(text)}`
        : `substr(${column}, -${length}) = ${this.#text(text)}`
    }
    return this.#postgres
      ? `strpos(${column}, ${this.#text(text)}) > 0`
      : `instr(${column}, ${this.#text(text)}) > 0`
  }

  /** A value as a parameter, with the type that keeps the database from guessing another. */
  #parameter(value: Value, shape: Shape, match: Match): string {
    const kind = unwrap(shape)
    this.#comparable(match, kind)
    const typed = typedValue(value, shape, this.#context)
    if (typeof typed === 'string' && kind.type !== 'time') return this.#text(typed)
    if (typeof typed === 'boolean' && !this.#postgres) return this.#push(typed ? 1 : 0)
    // NaN equals nothing here, but itself in PostgreSQL.
    if (typeof typed === 'number' && Number.isNaN(typed)) return this.#null()
    const parameter = this.#push(typed)
    if (!this.#postgres) return parameter
    // As text, so that no client shortens the time to milliseconds on the way.
    if (kind.type === 'time') return `${parameter}::text::timestamptz`
    if (kind.type === 'float32') return `${parameter}::real`
    if (typeof typed === 'number')
      return `${parameter}::${kind.type !== 'float64' && Number.isSafeInteger(typed) ? 'bigint' : 'double precision'}`
    return typeof typed === 'bigint' ? `${parameter}::numeric` : parameter
  }

  #text(text: string): string {
    // No text in PostgreSQL holds NUL, so nothing equals one that does.
    return this.#postgres && text.includes('\0') ? this.#null() : this.#push(text)
  }

  #null(): string {
    this.#hasNull = true
    return 'NULL'
  }

  #push(value: string | number | bigint | boolean): string {
    const at = this.#first + this.values.push(value) - 1
    return this.#postgres ? `$${at}` : '?'
  }

  #column(selector: Selector): string {
    const text = selectorText(selector.path)
    const column = Object.hasOwn(this.#columns, text) ? this.#columns[text] : undefined
    if (column === undefined) throw this.cannot(selector, `no column is given for the selector ${text}`)
    return typeof column === 'string' ? `"${column.replaceAll('"', '""')}"` : column.sql
  }
}
