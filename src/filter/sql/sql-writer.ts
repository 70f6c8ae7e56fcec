import { nearest } from '../../kernel/nearest.ts'
import type { Expression, Match, Quantifier, Selector } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Context } from '../evaluating/context.ts'
import { textOrderOf, unwrap } from '../kinds/kind-of.ts'
import { findName, type Names, namesOf, shapeAt } from '../kinds/names.ts'
import { type Shape, scalarShape } from '../kinds/shape.ts'
import type { Literal } from '../operators/literal.ts'
import { literalPattern } from '../operators/pattern.ts'
import type { SqlParts } from '../operators/sql-rules.ts'
import { sqlOf } from '../operators/table.ts'
import { judgesMissing, literalsOf } from '../operators/test-of.ts'
import { typedValue } from '../operators/typed-value.ts'
import { selectorText } from '../writing/selector-text.ts'
import { type Database, type ElementRows, parameterMark, type SqlValue } from './databases.ts'

/**
 * A column: its name, which is quoted, or any SQL expression, which is put in parentheses: a list in a JSON column of
 * PostgreSQL is the array `array(select jsonb_array_elements_text(tags))`.
 */
export type SqlColumn = string | { readonly sql: string }

/**
 * A list that is kept in a table of its own, for quantifiers.
 *
 * @example
 * ```ts
 * import { compile, toSql } from 'plinth/filter'
 * import * as z from 'zod'
 *
 * const Order = z.object({ Items: z.array(z.object({ Name: z.string(), Count: z.int() })) })
 * const filter = compile('any Items as item { item.Count > 10 }', { schema: Order })
 * const { text } = toSql(filter, {
 *   dialect: 'postgres',
 *   columns: {
 *     Items: {
 *       from: 'order_items AS item',
 *       where: 'item.order_id = orders.id',
 *       columns: { Name: { sql: 'item.name' }, Count: { sql: 'item.count' } },
 *     },
 *   },
 * })
 * text // 'EXISTS (SELECT 1 FROM order_items AS item WHERE (item.order_id = orders.id) AND ((item.count) > $1::bigint))'
 * ```
 */
export interface SqlRows {
  /** SQL: the table of the elements, with an alias. */
  readonly from: string
  /** SQL: which of its rows belong to the row that is filtered. */
  readonly where: string
  /** The columns of an element by selector; that of an element which is no object by `@`. */
  readonly columns: Readonly<Record<string, SqlColumn>>
}

/**
 * The columns of {@link toSql}, by the canonical text of their selector.
 */
export type SqlColumns = Readonly<Record<string, SqlColumn | SqlRows>>

/** What a quantifier's names stand for. */
interface Scope {
  readonly names: Names
  readonly rows: ElementRows | SqlRows
}

/** Why a database cannot decide a part of an expression. */
class Inexpressible extends FilterError {}

/** Writes conditions for one database, and collects their parameters. */
export class SqlWriter implements SqlParts {
  readonly values: SqlValue['value'][] = []
  readonly #context: Context
  readonly #columns: SqlColumns
  readonly #database: Database
  /** The surrounding quantifiers, outermost first. */
  readonly #scopes: Scope[] = []
  /** Whether the comparison being written compares with NULL, and so is never true. */
  #hasNull = false

  constructor(context: Context, columns: SqlColumns, database: Database) {
    this.#context = context
    this.#columns = columns
    this.#database = database
  }

  cannot(node: { readonly start: number; readonly end: number }, what: string): FilterError {
    return new Inexpressible('type', `SQL cannot express this: ${what}`, this.#context.source, node)
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
        return this.#quantifier(node)
      default:
        return node satisfies never
    }
  }

  /**
   * The part of an expression that the database can decide: no row that passes the expression fails it. `whole`: the
   * rows that pass it pass the expression, too.
   *
   * @returns `undefined` if there is none
   */
  part(node: Expression): { readonly text: string; readonly whole: boolean } | undefined {
    const mark = this.values.length
    try {
      return { text: this.condition(node, false), whole: true }
    } catch (error) {
      if (!(error instanceof Inexpressible)) throw error
      this.values.length = mark
    }
    if (node.type !== 'and' && node.type !== 'or') return undefined
    const texts: string[] = []
    for (const operand of node.operands) {
      const found = this.part(operand)
      if (found !== undefined) texts.push(`(${found.text})`)
      else if (node.type === 'or') {
        this.values.length = mark
        return undefined
      }
    }
    return texts.length === 0
      ? undefined
      : { text: joined(texts, ` ${node.type.toUpperCase()} `), whole: false }
  }

  #operand(node: Expression, exact: boolean, inParentheses: Expression['type']): string {
    const text = this.condition(node, exact)
    return node.type === inParentheses ? `(${text})` : text
  }

  #quantifier(quantifier: Quantifier): string {
    const { selector, type, body } = quantifier
    const names = namesOf(quantifier, this.#context, this.#names)
    if (names.over !== 'list')
      throw this.cannot(quantifier, 'a quantifier over what is not declared as a list')
    const given = columnIn(this.#columns, selectorText(selector.path))
    const isTable = isRows(given) && findName(selector, this.#names) === undefined
    const rows = isTable ? given : this.#elements(this.#column(selector), names.element)
    const condition = this.#within({ names, rows }, body)
    // An element for which the condition is NULL does not pass it.
    const wanted = type === 'all' ? `(${condition}) IS NOT TRUE` : condition
    const found = isRows(rows)
      ? `${this.#raw(rows.from)} WHERE (${this.#raw(rows.where)}) AND (${wanted})`
      : `${rows.from()} WHERE ${wanted}`
    return `${type === 'any' ? '' : 'NOT '}EXISTS (SELECT 1 FROM ${found})`
  }

  #within(scope: Scope, body: Expression): string {
    this.#scopes.push(scope)
    try {
      return this.condition(body, false)
    } finally {
      // Also where SQL has no words for the body, and other parts are written.
      this.#scopes.pop()
    }
  }

  #elements(list: string, of: Shape): ElementRows {
    return this.#database.elements(list, of, `element${this.#scopes.length + 1}`)
  }

  get #names(): Names | undefined {
    return this.#scopes.at(-1)?.names
  }

  #match(match: Match, exact: boolean): string {
    const shape = this.#shapeOf(match.selector)
    const mayBeNull = this.#mayBeNull(match.selector)
    const { op, negated } = match
    if (this.#context.unknown !== undefined)
      throw this.cannot(match, 'a value that stands for missing fields')
    if (op === 'is nil') return `${this.#column(match.selector)} IS ${negated ? 'NOT ' : ''}NULL`
    if (match.ignoreCase) throw this.cannot(match, 'ignoring case, which differs between databases')
    this.#hasNull = false
    const positive = sqlOf[op](this, match, this.#column(match.selector), shape)
    if (!(mayBeNull || this.#hasNull) || judgesMissing(op)) return negated ? `NOT (${positive})` : positive
    if (negated) {
      if (this.#context.missing !== 'false') return `(${positive}) IS NOT TRUE`
      if (match.operand?.type === 'field')
        throw this.cannot(match, 'that two fields differ if neither is missing')
      return `((${positive}) IS NOT TRUE AND ${this.#column(match.selector)} IS NOT NULL)`
    }
    return exact ? `(${positive}) IS TRUE` : positive
  }

  #shapeOf(selector: Selector): Shape {
    return shapeAt(selector, this.#context, this.#names)
  }

  /** A column can be NULL where the kind is optional or not declared, and below a map, whose keys may be missing. */
  #mayBeNull(selector: Selector): boolean {
    if (this.#context.missing !== 'error') return true
    const named = findName(selector, this.#names)
    let shape: Shape = named?.element ?? this.#context.shape
    for (const segment of selector.path.slice(named === undefined ? 0 : 1)) {
      if (shape.type !== 'struct') return true
      shape = shape.fields.get(segment)?.shape ?? { type: 'any' }
    }
    return shape.type === 'any' || shape.type === 'optional' || shape.type === 'pointer'
  }

  /** `column = value`, or another field instead of the value. */
  compared(match: Match, column: string, shape: Shape, sign: string): string {
    const { operand } = match
    const left = this.#comparable(column, shape, match)
    const { exactText } = this.#database
    if (operand?.type !== 'field') {
      const value = this.#only(match, shape)
      if (exactText === undefined || !isText(shape) || value !== parameterMark)
        return `${left} ${sign} ${value}`
      // The first comparison is there for the index.
      return `(${left} ${sign} ${value} AND ${left} ${sign} ${exactText(this.#only(match, shape))})`
    }
    this.#mustCompare(match, unwrap(shape))
    const other = unwrap(this.#shapeOf(operand.selector))
    if (other.type !== unwrap(shape).type) throw this.cannot(match, 'a comparison of two kinds')
    const right = this.#comparable(this.#column(operand.selector), other, match)
    const compared =
      exactText !== undefined && isText(shape)
        ? `${exactText(left)} ${sign} ${exactText(right)}`
        : `${left} ${sign} ${right}`
    return this.#mayBeNull(operand.selector) ? `(${compared}) IS TRUE` : compared
  }

  /** `column IN (values)`. */
  among(match: Match, column: string, shape: Shape): string {
    const values = this.#parameters(match, shape)
    if (values.length === 0) return 'FALSE'
    const left = this.#comparable(column, shape, match)
    const found = `${left} IN (${values.join(', ')})`
    const { exactText } = this.#database
    if (exactText === undefined || !isText(shape)) return found
    return `(${found} AND ${left} IN (${this.#parameters(match, shape).map(exactText).join(', ')}))`
  }

  /** `column < value` and similar. */
  ordered(match: Match, column: string, shape: Shape, sign: string): string {
    this.#mustHaveOrder(match, shape)
    if (match.operand?.type === 'field') this.#mustHaveOrder(match, this.#shapeOf(match.operand.selector))
    return this.#inOrder(match, shape, this.compared(match, column, shape, sign))
  }

  between(match: Match, column: string, shape: Shape): string {
    this.#mustHaveOrder(match, shape)
    const [least, most] = this.#parameters(match, shape)
    const found = `${this.#comparable(column, shape, match)} BETWEEN ${least} AND ${most}`
    return this.#inOrder(match, shape, found)
  }

  /** Refuses a comparison with a string that no column can contain: it has a place in the order, too. */
  #inOrder(match: Match, shape: Shape, condition: string): string {
    if (this.#hasNull && textOrderOf(shape) !== undefined) throw this.cannot(match, 'an order of strings')
    return condition
  }

  /** The values of a match, as parameters. */
  #parameters(match: Match, shape: Shape): readonly string[] {
    return literalsOf(match, this.#context).map((literal) => this.#parameter(literal, shape, match))
  }

  #only(match: Match, shape: Shape): string {
    const [parameter] = this.#parameters(match, shape)
    if (parameter === undefined) throw this.cannot(match, match.op)
    return parameter
  }

  #comparable(column: string, shape: Shape, { op }: Match): string {
    if (textOrderOf(shape) !== undefined && inOrder.has(op)) return this.#database.orderedText(column)
    return unwrap(shape).type === 'time' ? this.#database.timeColumn(column) : column
  }

  /** The number that a match compares with; the kind of its field does not matter. */
  number(match: Match): string {
    return this.#only({ ...match, op: '==' }, scalarShape('float64'))
  }

  /** The number of elements of a list; 0 for null. */
  length(column: string, of: Shape): string {
    return `coalesce(${this.#database.length(column, of)}, 0)`
  }

  #mustHaveOrder(match: Match, shape: Shape): void {
    if (unwrap(shape).type === 'string' && textOrderOf(shape) === undefined)
      throw this.cannot(match, 'an order of strings')
  }

  /** Durations are stored as texts, whose order and equality differ. */
  #mustCompare(match: Match, { type }: Shape): void {
    if (['duration', 'list', 'map', 'struct', 'bytes'].includes(type)) {
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
    if (kind.type !== 'list') {
      this.mustBeText(match, kind)
      return this.#holds(column, literal.text)
    }
    const { hasElement } = this.#database
    if (hasElement !== undefined) return hasElement(column, this.#parameter(literal, kind.of, match))
    const rows = this.#elements(column, kind.of)
    if (rows.value === undefined) throw this.cannot(match, 'a comparison of a struct')
    const equal = this.compared({ ...match, op: '==' }, rows.value, kind.of, '=')
    return `EXISTS (SELECT 1 FROM ${rows.from()} WHERE ${equal})`
  }

  /** Whether a text is contained in that of a column. */
  #holds(column: string, text: string): string {
    return `${this.#database.position(column, this.#text(text))} > 0`
  }

  /** Whether a column's text begins or ends with a string. */
  like(match: Match, column: string, shape: Shape, at: 'start' | 'end'): string {
    const [literal] = literalsOf(match, this.#context)
    if (literal === undefined) throw this.cannot(match, 'whether one field begins or ends with another')
    this.mustBeText(match, shape)
    const { text } = literal
    const { likeEscape, likeIsExact } = this.#database
    const escaped = text.replace(likeEscape === '!' ? /[!%_]/g : /[\\%_]/g, `${likeEscape}$&`)
    const like = `${column} LIKE ${this.#text(at === 'start' ? `${escaped}%` : `%${escaped}`)} ESCAPE '${likeEscape}'`
    return likeIsExact || text === '' ? like : `(${like} AND ${this.#affix(column, text, at === 'start')})`
  }

  /** `column` begins or ends with a string, character by character. */
  #affix(column: string, text: string, atStart: boolean): string {
    const { exactText = (same: string) => same, last } = this.#database
    const length = [...text].length
    const end = atStart ? `substr(${column}, 1, ${length})` : last(column, length)
    return `${exactText(end)} = ${exactText(this.#text(text))}`
  }

  matches(match: Match, column: string, shape: Shape): string {
    this.mustBeText(match, shape)
    const [literal = {}] = literalsOf(match, this.#context)
    const found = literalPattern(literal, this.#context)
    if (found === undefined)
      throw this.cannot(match, 'a regular expression; databases have another syntax, or none')
    const { text, fromStart, toEnd } = found
    const { exactText = (same: string) => same } = this.#database
    if (fromStart && toEnd) return `${exactText(column)} = ${exactText(this.#text(text))}`
    if (!fromStart && (!toEnd || text === '')) return this.#holds(column, text)
    return this.#affix(column, text, fromStart)
  }

  /** A value as a parameter. */
  #parameter(literal: Literal, shape: Shape, match: Match): string {
    const kind = unwrap(shape)
    this.#mustCompare(match, kind)
    const typed = typedValue(literal, shape, inOrder.has(match.op))
    if (typeof typed === 'string') return kind.type === 'time' ? this.#time(typed, match) : this.#text(typed)
    // NaN equals nothing here, but equals itself in PostgreSQL.
    return Number.isNaN(typed) ? this.#null() : this.#push(this.#database.scalar(typed, kind.type))
  }

  /** In UTC and to the microsecond: PostgreSQL rounds finer digits and does not accept an offset of 16 hours. */
  #time(text: string, match: Match): string {
    const [fraction = ''] = /\.\d{1,6}/.exec(text) ?? []
    const utc = new Date(text.replace(/\.\d+/, '').toUpperCase()).toISOString()
    if (!/^(?!0000)\d/.test(utc)) throw this.cannot(match, 'a time outside the years 1 to 9999')
    return this.#push(this.#database.time(utc.replace('.000', fraction)))
  }

  #text(text: string): string {
    // No string in a database contains NUL or half a surrogate pair; clients would send a different string.
    return /[\0\p{Cs}]/u.test(text) ? this.#null() : this.#push({ value: text, sql: parameterMark })
  }

  #null(): string {
    this.#hasNull = true
    return 'NULL'
  }

  #push({ value, sql }: SqlValue): string {
    this.values.push(value)
    return sql
  }

  /** The SQL of a caller. */
  #raw(sql: string): string {
    if (sql.includes(parameterMark)) throw new TypeError('SQL with a NUL character was given as a column')
    return sql
  }

  #column(selector: Selector): string {
    const named = findName(selector, this.#names)
    if (named === undefined) return this.#written(selector, selectorText(selector.path), this.#columns)
    const rows = this.#scopes.at(-1 - named.depth)?.rows
    const members = selector.path.slice(1)
    if (isRows(rows)) {
      if (named.role === 'key') throw this.cannot(selector, 'the index of a row of a table')
      return this.#written(selector, members.length === 0 ? '@' : selectorText(members), rows.columns)
    }
    if (named.role === 'key') return rows?.key ?? ''
    if (members.length === 0 && rows?.value !== undefined) return rows.value
    const shape = this.#shapeOf(selector)
    // Other names have a meaning in the paths of some databases.
    if (rows === undefined || members.length === 0 || !members.every((name) => /^[a-z_]\w*$/i.test(name))) {
      throw this.cannot(selector, `the member ${selectorText(selector.path)} of JSON`)
    }
    if (!('name' in unwrap(shape))) throw this.cannot(selector, `a ${unwrap(shape).type} within a list`)
    return rows.member(members, shape)
  }

  #written(selector: Selector, text: string, columns: SqlColumns): string {
    const column = columnIn(columns, text)
    const { quote } = this.#database
    if (typeof column === 'string')
      return `${quote}${this.#raw(column).replaceAll(quote, quote + quote)}${quote}`
    if (isRows(column)) throw this.cannot(selector, 'a comparison of a list that is a table')
    if (typeof column?.sql === 'string') return `(${this.#raw(column.sql)})`
    const misspelt = nearest(text, Object.keys(columns))
    const advice = misspelt === undefined ? '' : `; columns has ${misspelt}`
    throw this.cannot(selector, `no column is given for the selector ${text}${advice}`)
  }
}

const columnIn = (columns: SqlColumns, text: string): SqlColumn | SqlRows | undefined =>
  Object.hasOwn(columns, text) ? columns[text] : undefined

const isRows = (given: unknown): given is SqlRows =>
  typeof given === 'object' && given !== null && 'from' in given && 'where' in given

const isText = (shape: Shape): boolean => ['string', 'any'].includes(unwrap(shape).type)

/** For a kind in which any number compares with any other. */
const inOrder: ReadonlySet<Match['op']> = new Set<Match['op']>(['<', '<=', '>', '>=', 'between'])

/** The most that are joined together: SQLite refuses a chain of a thousand as an expression nested too deep. */
const MAX_CHAIN = 100

/** Joins conditions, however many. */
export function joined(texts: readonly string[], by: string): string {
  if (texts.length <= MAX_CHAIN) return texts.join(by)
  const middle = texts.length >> 1
  return [texts.slice(0, middle), texts.slice(middle)].map((half) => `(${joined(half, by)})`).join(by)
}
