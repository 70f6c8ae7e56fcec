import type { Expression, Match, Quantifier, Range, Selector } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Context } from '../evaluating/context.ts'
import { textOrderOf, unwrap } from '../kinds/kind-of.ts'
import { findName, type Names, namesOf, shapeAt } from '../kinds/names.ts'
import { isDate } from '../kinds/realms.ts'
import { type Shape, scalarShape } from '../kinds/shape.ts'
import {
  dateOf,
  isPathName,
  type MongoOperators,
  type MongoParts,
  type MongoQuery,
  type MongoRule,
} from '../operators/mongo-rules.ts'
import { literalPattern } from '../operators/pattern.ts'
import { mongoOf } from '../operators/table.ts'
import { judgesMissing, literalsOf } from '../operators/test-of.ts'
import { typedValue } from '../operators/typed-value.ts'
import { selectorText } from '../writing/selector-text.ts'

/** Writes the query of one filter. */
export class MongoWriter implements MongoParts {
  readonly #context: Context
  readonly #fields: Readonly<Record<string, string>>
  #names: Names | undefined

  constructor(context: Context, fields: Readonly<Record<string, string>>) {
    this.#context = context
    this.#fields = fields
  }

  cannot(node: Range, what: string): FilterError {
    return new FilterError('type', `a query cannot express this: ${what}`, this.#context.source, node)
  }

  query(node: Expression): MongoQuery {
    switch (node.type) {
      case 'and':
      case 'or':
        return { [`$${node.type}`]: node.operands.map((operand) => this.query(operand)) }
      case 'not':
        return { $nor: [this.query(node.operand)] }
      case 'match':
        return this.#match(node)
      case 'any':
      case 'all':
      case 'none':
        return this.#quantifier(node)
      default:
        return node satisfies never
    }
  }

  #match(match: Match): MongoQuery {
    const { operand, selector, negated } = match
    if (operand?.type === 'field') return this.#ofFields(match, operand.selector)
    const operators = this.#rule(match)
    const path = this.#path(selector)
    if (typeof operators === 'function') return negated ? { $nor: [operators(path)] } : operators(path)
    if (negated && this.#context.missing === 'false' && !judgesMissing(match.op)) {
      return { $and: [{ [path]: { $not: operators } }, { [path]: { $ne: null } }] }
    }
    if (negated) return { [path]: { $not: operators } }
    return { [path]: '$eq' in operators && isScalarValue(operators['$eq']) ? operators['$eq'] : operators }
  }

  #rule(match: Match): ReturnType<MongoRule> {
    if (match.ignoreCase) throw this.cannot(match, 'ignoring case')
    return mongoOf[match.op](this, match, this.#shapeOf(match.selector))
  }

  /** A comparison of two fields; a missing one equals nothing. */
  #ofFields(match: Match, other: Selector): MongoQuery {
    const left = unwrap(this.#shapeOf(match.selector))
    const right = unwrap(this.#shapeOf(other))
    const name = aggregations[match.op]
    if (this.#names !== undefined || name === undefined || left.type !== right.type || !isComparable(left)) {
      throw this.cannot(match, 'this comparison of two fields')
    }
    if (match.op !== '==') for (const side of [left, right]) this.mustHaveOrder(match, side)
    if (match.negated && this.#context.missing === 'false') {
      throw this.cannot(match, 'that two fields differ if neither is missing')
    }
    const a = `$${this.#path(match.selector)}`
    const b = `$${this.#path(other)}`
    const isThere = (field: string) => ({ $ne: [{ $ifNull: [field, null] }, null] })
    const both = { $and: [{ [name]: [a, b] }, isThere(a), isThere(b)] }
    return { $expr: match.negated ? { $not: [both] } : both }
  }

  #quantifier(quantifier: Quantifier): MongoQuery {
    const { selector, type, body } = quantifier
    const outer = this.#names
    const names = namesOf(quantifier, this.#context, outer)
    if (names.over !== 'list')
      throw this.cannot(quantifier, 'a quantifier over what is not declared as a list')
    const path = this.#path(selector)
    this.#names = names
    const isObject = unwrap(names.element).type === 'struct'
    const query = isObject ? this.query(body) : this.#ofElement(body)
    this.#names = outer
    // Inside $elemMatch, `$nor` belongs to objects and `$not` to values.
    const failing = isObject ? { $nor: [query] } : { $not: query }
    const some = { $elemMatch: type === 'all' ? failing : query }
    return { [path]: type === 'any' ? some : { $not: some } }
  }

  /** The operators on an element that is a string, a number or the like: several hold together, there is no `or`. */
  #ofElement(body: Expression): MongoOperators {
    if (body.type === 'and') {
      const each = body.operands.map((operand) => this.#ofElement(operand))
      const names = each.flatMap(Object.keys)
      if (new Set(names).size < names.length) throw this.cannot(body, 'this condition on an element')
      return Object.assign({}, ...each)
    }
    if (body.type !== 'match' || body.operand?.type === 'field') {
      throw this.cannot(body, 'this condition on an element')
    }
    this.#path(body.selector)
    const operators = this.#rule(body)
    if (typeof operators === 'function') throw this.cannot(body, 'a list within a list')
    return body.negated ? { $not: operators } : operators
  }

  #shapeOf(selector: Selector): Shape {
    return shapeAt(selector, this.#context, this.#names)
  }

  /** The dotted path of a selector, from the document or from the element of the innermost quantifier. */
  #path(selector: Selector): string {
    const named = findName(selector, this.#names)
    if (this.#names !== undefined && (named?.depth !== 0 || named.role === 'key')) {
      throw this.cannot(selector, 'what is not of the element, inside a quantifier')
    }
    const path = selector.path.slice(named === undefined ? 0 : 1)
    const text = selectorText(selector.path)
    if (named === undefined && Object.hasOwn(this.#fields, text)) return this.#fields[text] ?? ''
    let shape: Shape = named?.element ?? this.#context.shape
    for (const name of path) {
      const holder = unwrap(shape)
      if (!isPathName(name)) throw this.cannot(selector, `the name ${JSON.stringify(name)}`)
      if (holder.type === 'list') throw this.cannot(selector, 'a path through a list; use a quantifier')
      shape =
        holder.type === 'struct'
          ? (holder.fields.get(name)?.shape ?? { type: 'any' })
          : holder.type === 'map'
            ? holder.of
            : { type: 'any' }
    }
    const properties = path.map((name, at) =>
      at === 0 && named === undefined ? this.#property(selector, name) : name,
    )
    return properties.join('.')
  }

  /** The property behind a field that a kind renames. */
  #property(selector: Selector, name: string): string {
    const { shape } = this.#context
    const field = shape.type === 'struct' ? shape.fields.get(name) : undefined
    if (field?.of !== undefined) throw this.cannot(selector, 'a computed field')
    return field?.property ?? name
  }

  mustHaveOrder(match: Match, shape: Shape): void {
    if (unwrap(shape).type === 'string' && textOrderOf(shape) === undefined)
      throw this.cannot(match, 'an order of strings')
  }

  mustBeText(match: Match, shape: Shape): void {
    const { type } = unwrap(shape)
    if (type !== 'string')
      throw this.cannot(match, `"${match.op}" of ${type === 'any' ? 'a field without a kind' : `a ${type}`}`)
  }

  values(match: Match, shape: Shape): readonly unknown[] {
    return this.#typed(match, shape, false)
      .map((value) => stored(value, shape))
      .filter((value) => value !== undefined)
  }

  bound(match: Match, shape: Shape): unknown {
    return this.#typed(match, shape, true)[0]
  }

  /** The values of a match; `undefined` for one that no document holds. */
  #typed(match: Match, shape: Shape, asBound: boolean): readonly unknown[] {
    const kind = unwrap(shape)
    if (!isComparable(kind) && kind.type !== 'any') throw this.cannot(match, `a comparison of a ${kind.type}`)
    return literalsOf(match, this.#context).map((literal) => {
      if (kind.type === 'time') return Number(literal.value('time'))
      const typed = typedValue(literal, shape, asBound)
      // NaN equals nothing here, but itself in a query; half a surrogate pair is not encoded.
      return Number.isNaN(typed) || (typeof typed === 'string' && /\p{Cs}/u.test(typed)) ? undefined : typed
    })
  }

  number(match: Match): number {
    const [literal] = literalsOf(match, this.#context)
    return Number(literal && typedValue(literal, scalarShape('float64'), true))
  }

  pattern(match: Match) {
    const [literal = {}] = literalsOf(match, this.#context)
    const found = literalPattern(literal, this.#context)
    if (found === undefined) throw this.cannot(match, 'a regular expression; the database has another syntax')
    return found
  }

  text(match: Match): string {
    return literalsOf(match, this.#context)[0]?.text ?? ''
  }
}

const isComparable = ({ type }: Shape): boolean =>
  !['duration', 'list', 'map', 'struct', 'bytes', 'any', 'pointer', 'optional'].includes(type)

const isScalarValue = (value: unknown): boolean => typeof value !== 'object' || isDate(value)

const aggregations: Partial<Record<Match['op'], `$${string}`>> = {
  '==': '$eq',
  '<': '$lt',
  '<=': '$lte',
  '>': '$gt',
  '>=': '$gte',
}

/** A value as one of a document; `undefined` if no document can hold it. */
const stored = (value: unknown, shape: Shape): unknown => {
  if (unwrap(shape).type !== 'time' || typeof value !== 'number') return value
  const { date, isWhole } = dateOf(value)
  return isWhole ? date : undefined
}
