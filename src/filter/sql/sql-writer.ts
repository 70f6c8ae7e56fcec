import { nearest } from '../../kernel/nearest.ts'
import type { Expression, Match, Selector } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Context } from '../evaluating/context.ts'
import { unwrap } from '../kinds/kind-of.ts'
import { shapeAt } from '../kinds/names.ts'
import { type Shape, scalarShape } from '../kinds/shape.ts'
import type { Literal } from '../operators/literal.ts'
import type { SqlParts } from '../operators/sql-rules.ts'
import { sqlOf } from '../operators/table.ts'
import { literalsOf } from '../operators/test-of.ts'
import { typedValue } from '../operators/typed-value.ts'
import { selectorText } from '../writing/selector-text.ts'

/**
 * A column: its name, which is quoted, or any SQL expression, which is put in parentheses: a list in a JSON column of
 * PostgreSQL is the array `array(select jsonb_array_elements_text(tags))`.
 */
export type SqlColumn = string | { readonly sql: string }

type Columns = Readonly<Record<string, SqlColumn>>

/** Writes conditions for one database, and collects their parameters. */
export class SqlWriter implements SqlParts {
  readonly values: (string | number | bigint | boolean)[] = []
  readonly #context: Context
  readonly #columns: Columns
  readonly #postgres: boolean
  readonly #first: number
  /** Whether the comparison being written compares with NULL, and so is never true. */
  #hasNull = false

  constructor(context: Context, columns: Columns, postgres: boolean, first: number) {
    this.#context = context
    this.#columns = columns
    this.#postgres = postgres
    this.#first = first
  }

  cannot(node: { readonly start: number; readonly end: number }, what: string): FilterError {
    return new FilterError('type', `SQL cannot express this: ${what}`, this.#context.source, node)
  }

  /**
   * `exact`: the condition must be true or false, never NULL, because it is inside a `NOT`. Elsewhere NULL is as good
   * as false.
   */
  condition(node: Expression, exact: boolean): string {
    switch (node.type) {
      case 'and':
      case 'or':
        return joined(
          node.operands.map((operand) => this.#operand(operand, exact, node.type === 'and' ? 'or' : 'and')),
          ` ${node.type.toUpperCase()} `,
        )
      case 'not':
        return `NOT (${this.condition(node.operand, true)})`
      case 'match':
        return this.#match(node, exact)
      case 'any':
      case 'all':
      case 'none':
        throw this.cannot(node, 'a quantifier')
      default:
        return node satisfies never
    }
  }

  #operand(node: Expression, exact: boolean, inParentheses: Expression['type']): string {
    const text = this.condition(node, exact)
    return node.type === inParentheses ? `(${text})` : text
  }

  #match(match: Match, exact: boolean): string {
    const shape = shapeAt(match.selector, this.#context, undefined)
    const mayBeNull = this.#mayBeNull(match.selector)
    const { op, negated } = match
    if (op === 'is nil') return `${this.#column(match.selector)} IS ${negated ? 'NOT ' : ''}NULL`
    if (match.ignoreCase) throw this.cannot(match, 'ignoring case, which differs between databases')
    this.#hasNull = false
    const positive = sqlOf[op](this, match, this.#column(match.selector), shape)
    if (!(mayBeNull || this.#hasNull) || neverNull.has(op)) return negated ? `NOT (${positive})` : positive
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

  /** `column = value`, or another field instead of the value. */
  compared(match: Match, column: string, shape: Shape, sign: string): string {
    const { operand } = match
    if (operand?.type !== 'field') return `${column} ${sign} ${this.#only(match, shape)}`
    this.#mustCompare(match, unwrap(shape))
    const other = unwrap(shapeAt(operand.selector, this.#context, undefined))
    if (other.type !== unwrap(shape).type) throw this.cannot(match, 'a comparison of two kinds')
    const right = `${column} ${sign} ${this.#column(operand.selector)}`
    return this.#mayBeNull(operand.selector) ? `(${right}) IS TRUE` : right
  }

  /** `column < value` and similar. */
  ordered(match: Match, column: string, shape: Shape, sign: string): string {
    this.#mustHaveOrder(match, shape)
    return this.compared(match, column, shape, sign)
  }

  /** Both ends of a range. */
  bounds(match: Match, shape: Shape): readonly string[] {
    this.#mustHaveOrder(match, shape)
    return this.parameters(match, shape)
  }

  /** The values of a match, as parameters. */
  parameters(match: Match, shape: Shape): readonly string[] {
    return literalsOf(match, this.#context).map((literal) => this.#parameter(literal, shape, match))
  }

  #only(match: Match, shape: Shape): string {
    const [parameter] = this.parameters(match, shape)
    if (parameter === undefined) throw this.cannot(match, match.op)
    return parameter
  }

  /** The number that a match compares with; the kind of its field does not matter. */
  number(match: Match): string {
    return this.#only({ ...match, op: '==' }, scalarShape('float64'))
  }

  /** The number of elements of a list; 0 for null. */
  length(column: string): string {
    return `coalesce(${this.#postgres ? 'cardinality' : 'json_array_length'}(${column}), 0)`
  }

  #mustHaveOrder(match: Match, shape: Shape): void {
    if (unwrap(shape).type === 'string') throw this.cannot(match, 'an order of strings')
  }

  /** Durations, and in SQLite times, are stored as texts, whose order and equality differ. */
  #mustCompare(match: Match, { type }: Shape): void {
    if (['duration', 'list', 'map', 'struct', 'bytes', this.#postgres ? '' : 'time'].includes(type)) {
      throw this.cannot(match, `a comparison of a ${type}`)
    }
  }

  mustBeText(match: Match, shape: Shape): void {
    const { type } = unwrap(shape)
    if (type !== 'string' && type !== 'any') throw this.cannot(match, `"${match.op}" of a ${type}`)
  }

  mustBe(match: Match, shape: Shape, wanted: Shape['type']): void {
    const { type } = unwrap(shape)
    if (type !== wanted) throw this.cannot(match, `"${match.op}" of a ${type}`)
  }

  contains(match: Match, column: string, kind: Shape): string {
    const [literal] = literalsOf(match, this.#context)
    if (literal === undefined) throw this.cannot(match, 'whether one field is in another')
    if (kind.type === 'list') {
      const value = this.#parameter(literal, kind.of, match)
      if (this.#postgres) return `${value} = ANY(${column})`
      // Beside json_each, a column with the name of one of its columns, such as "key" or "value", would be ambiguous.
      return `EXISTS (SELECT 1 FROM (SELECT ${column} AS list) AS field, json_each(field.list) AS item WHERE item.value = ${value})`
    }
    this.mustBeText(match, kind)
    return this.#holds(column, literal.text)
  }

  /** Whether a text is contained in that of a column. */
  #holds(column: string, text: string): string {
    return `${this.#postgres ? 'strpos' : 'instr'}(${column}, ${this.#text(text)}) > 0`
  }

  /** Whether a column's text begins or ends with a string. */
  like(match: Match, column: string, shape: Shape, at: 'start' | 'end'): string {
    const [literal] = literalsOf(match, this.#context)
    if (literal === undefined) throw this.cannot(match, 'whether one field begins or ends with another')
    this.mustBeText(match, shape)
    const { text } = literal
    const escaped = text.replace(/[\\%_]/g, '\\$&')
    const like = `${column} LIKE ${this.#text(at === 'start' ? `${escaped}%` : `%${escaped}`)} ESCAPE '\\'`
    // In SQLite, LIKE ignores case; it is there for the index.
    return this.#postgres || text === '' ? like : `(${like} AND ${this.#affix(column, text, at === 'start')})`
  }

  /** `column` begins or ends with a string, character by character. */
  #affix(column: string, text: string, atStart: boolean): string {
    const length = [...text].length
    const end = this.#postgres ? `right(${column}, ${length})` : `substr(${column}, -${length})`
    return `${atStart ? `substr(${column}, 1, ${length})` : end} = ${this.#text(text)}`
  }

  matches(match: Match, column: string, shape: Shape): string {
    this.mustBeText(match, shape)
    const [literal] = literalsOf(match, this.#context)
    const pattern = this.#context.patterns.compile(literal?.text ?? '', false)
    const literals = pattern instanceof Error ? undefined : pattern.literals
    const [text = ''] = literals?.texts ?? []
    if (literals?.texts.length !== 1)
      throw this.cannot(match, 'a regular expression; databases have another syntax, or none')
    const { fromStart, toEnd } = literals
    if (fromStart && toEnd) return `${column} = ${this.#text(text)}`
    if (!fromStart && (!toEnd || text === '')) return this.#holds(column, text)
    return this.#affix(column, text, fromStart)
  }

  /** A value as a parameter, with the type that keeps the database from guessing another. */
  #parameter(literal: Literal, shape: Shape, match: Match): string {
    const kind = unwrap(shape)
    this.#mustCompare(match, kind)
    const typed = typedValue(literal, shape, inOrder.has(match.op))
    if (typeof typed === 'string') return kind.type === 'time' ? this.#time(typed, match) : this.#text(typed)
    // NaN equals nothing here, but equals itself in PostgreSQL.
    if (Number.isNaN(typed)) return this.#null()
    if (!this.#postgres) {
      // SQLite has no booleans, and its integers have 64 signed bits: a larger number is a float.
      const isInteger = typeof typed === 'bigint' && typed < 2n ** 63n
      return this.#push(isInteger ? typed : Number(typed))
    }
    const parameter = this.#push(typed)
    if (typeof typed === 'boolean') return parameter
    if (kind.type === 'float32') return `${parameter}::real`
    if (kind.type === 'float64') return `${parameter}::double precision`
    return `${parameter}::${Number.isSafeInteger(typed) ? 'bigint' : 'numeric'}`
  }

  /**
   * In UTC and to the microsecond, because PostgreSQL rounds finer digits and does not accept an offset of 16 hours; as
   * text, so that no client truncates it to milliseconds.
   */
  #time(text: string, match: Match): string {
    const [fraction = ''] = /\.\d{1,6}/.exec(text) ?? []
    const utc = new Date(text.replace(/\.\d+/, '').toUpperCase()).toISOString()
    if (!/^(?!0000)\d/.test(utc)) throw this.cannot(match, 'a time outside the years 1 to 9999')
    return `${this.#push(utc.replace('.000', fraction))}::text::timestamptz`
  }

  #text(text: string): string {
    // No string in a database contains NUL or half a surrogate pair; clients would send a different string.
    return /[\0\p{Cs}]/u.test(text) ? this.#null() : this.#push(text)
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
    if (typeof column === 'string') return `"${column.replaceAll('"', '""')}"`
    if (typeof column?.sql === 'string') return `(${column.sql})`
    const misspelt = nearest(text, Object.keys(this.#columns))
    const advice = misspelt === undefined ? '' : `; columns has ${misspelt}`
    throw this.cannot(selector, `no column is given for the selector ${text}${advice}`)
  }
}

/** Conditions that are never NULL. */
const neverNull: ReadonlySet<Match['op']> = new Set<Match['op']>([
  ...(['is empty', 'count ==', 'count <', 'count <=', 'count >', 'count >='] as const),
])

/** For a kind in which any number compares with any other. */
const inOrder: ReadonlySet<Match['op']> = new Set<Match['op']>(['<', '<=', '>', '>=', 'between'])

/** The most that are joined together: SQLite refuses a chain of a thousand as an expression nested too deep. */
const MAX_CHAIN = 100

function joined(texts: readonly string[], by: string): string {
  if (texts.length <= MAX_CHAIN) return texts.join(by)
  const middle = texts.length >> 1
  return [texts.slice(0, middle), texts.slice(middle)].map((half) => `(${joined(half, by)})`).join(by)
}
