import type { Expression, Match, Operator, Selector, Value, Values } from '../ast.ts'
import { momentOffset } from '../kinds/moment.ts'
import { isDate } from '../kinds/realms.ts'
import { parse } from '../reading/parse.ts'
import { format } from './format.ts'
import type { Comparable, Containable, Matchable, Selected, SelectorOf } from './paths.ts'

/**
 * A value that is known later: a parameter, or a moment relative to now, such as `{ now: '- 1h' }`.
 */
export type Deferred = { readonly parameter: string } | { readonly now: string }

/** The accepted types of a value. */
type Given = string | number | bigint | boolean | Date | Deferred

/** A value of a field's type, or one that is known later. */
type Compared<Found> = Comparable<Found> | Deferred
type Affix<Found> = Matchable<Found> | Deferred
type CountOrder = '==' | '!=' | '<' | '<=' | '>' | '>='

/**
 * A filter being written, typed by its datum. Every method returns a new one in which one more condition must
 * hold; `String(it)` is the text, with everything quoted as it must be.
 */
export interface Where<T> {
  /** `S == v` */
  eq<Path extends SelectorOf<T>>(selector: Path, value: Compared<Selected<T, Path>>): Where<T>
  /** `S != v` */
  ne<Path extends SelectorOf<T>>(selector: Path, value: Compared<Selected<T, Path>>): Where<T>
  /** `S in [v, …]` */
  oneOf<Path extends SelectorOf<T>>(selector: Path, values: readonly Compared<Selected<T, Path>>[]): Where<T>
  /** `S not in [v, …]` */
  noneOf<Path extends SelectorOf<T>>(selector: Path, values: readonly Compared<Selected<T, Path>>[]): Where<T>
  /** `S < v` */
  lt<Path extends SelectorOf<T>>(selector: Path, value: Compared<Selected<T, Path>>): Where<T>
  /** `S <= v` */
  lte<Path extends SelectorOf<T>>(selector: Path, value: Compared<Selected<T, Path>>): Where<T>
  /** `S > v` */
  gt<Path extends SelectorOf<T>>(selector: Path, value: Compared<Selected<T, Path>>): Where<T>
  /** `S >= v` */
  gte<Path extends SelectorOf<T>>(selector: Path, value: Compared<Selected<T, Path>>): Where<T>
  /** `v in S`: a list has the element, a map the key, a text the part. */
  contains<Path extends SelectorOf<T>>(
    selector: Path,
    value: Containable<Selected<T, Path>> | Deferred,
  ): Where<T>
  /** `v not in S` */
  notContains<Path extends SelectorOf<T>>(
    selector: Path,
    value: Containable<Selected<T, Path>> | Deferred,
  ): Where<T>
  /** `S matches v`, a pattern of RE2 syntax. */
  matches<Path extends SelectorOf<T>>(selector: Path, pattern: Affix<Selected<T, Path>>): Where<T>
  /** `S not matches v` */
  notMatches<Path extends SelectorOf<T>>(selector: Path, pattern: Affix<Selected<T, Path>>): Where<T>
  /** `S starts with v` */
  startsWith<Path extends SelectorOf<T>>(selector: Path, value: Affix<Selected<T, Path>>): Where<T>
  /** `S not starts with v` */
  notStartsWith<Path extends SelectorOf<T>>(selector: Path, value: Affix<Selected<T, Path>>): Where<T>
  /** `S ends with v` */
  endsWith<Path extends SelectorOf<T>>(selector: Path, value: Affix<Selected<T, Path>>): Where<T>
  /** `S not ends with v` */
  notEndsWith<Path extends SelectorOf<T>>(selector: Path, value: Affix<Selected<T, Path>>): Where<T>
  /** `S between least and most`, both included. */
  between<Path extends SelectorOf<T>>(
    selector: Path,
    least: Compared<Selected<T, Path>>,
    most: Compared<Selected<T, Path>>,
  ): Where<T>
  /** `S not between least and most` */
  notBetween<Path extends SelectorOf<T>>(
    selector: Path,
    least: Compared<Selected<T, Path>>,
    most: Compared<Selected<T, Path>>,
  ): Where<T>
  /** `S is true` */
  isTrue(selector: SelectorOf<T>): Where<T>
  /** `S is false` */
  isFalse(selector: SelectorOf<T>): Where<T>
  /** `count S > v`, or another order. */
  count(selector: SelectorOf<T>, order: CountOrder, value: number | Deferred): Where<T>
  /** `S is empty` */
  empty(selector: SelectorOf<T>): Where<T>
  /** `S is not empty` */
  notEmpty(selector: SelectorOf<T>): Where<T>
  /** `S is nil` */
  nil(selector: SelectorOf<T>): Where<T>
  /** `S is not nil` */
  notNil(selector: SelectorOf<T>): Where<T>
  /** `S is missing`: the field does not exist or is null. */
  missing(selector: SelectorOf<T>): Where<T>
  /** `S is present` */
  present(selector: SelectorOf<T>): Where<T>
  /** `S == @other`: two fields of the datum are equal. */
  sameAs(selector: SelectorOf<T>, other: SelectorOf<T>): Where<T>
  /** `( … or … )`: at least one of the alternatives holds. */
  or(...alternatives: readonly [Where<T>, ...Where<T>[]]): Where<T>
  /** `not ( … )` */
  not(condition: Where<T>): Where<T>
  /** The expression so far, to compile, check or format. */
  readonly expression: Expression
  /** The canonical text. */
  toString(): string
}

/**
 * Starts a typed filter.
 *
 * @typeParam T - the type of one datum; without it, any selector may be named and compared with anything
 * @remarks {@link Where.expression} throws while there is no condition: an empty expression does not exist.
 *
 * @example
 * ```ts
 * import { where } from 'plinth/filter'
 *
 * interface Job { Status: string; Tags: string[]; Meta: Record<string, string> }
 * const filter = where<Job>().eq('Status', 'running').contains('Tags', 'web').ne('Meta["region.zone"]', 'eu-1')
 * String(filter) // 'Status == "running" and "web" in Tags and Meta["region.zone"] != "eu-1"'
 * ```
 */
export function where<T = Readonly<Record<string, unknown>>>(): Where<T> {
  return new Conditions<T>([])
}

class Conditions<T> implements Where<T> {
  readonly #conditions: readonly Expression[]

  constructor(conditions: readonly Expression[]) {
    this.#conditions = conditions
  }

  get expression(): Expression {
    return joined('and', this.#conditions)
  }

  toString(): string {
    return format(this.expression)
  }

  eq(selector: string, value: Given): Where<T> {
    return this.#match(selector, '==', false, literalOf(value))
  }
  ne(selector: string, value: Given): Where<T> {
    return this.#match(selector, '==', true, literalOf(value))
  }
  oneOf(selector: string, values: readonly Given[]): Where<T> {
    return this.#match(selector, 'one of', false, literalsOf(values))
  }
  noneOf(selector: string, values: readonly Given[]): Where<T> {
    return this.#match(selector, 'one of', true, literalsOf(values))
  }
  lt(selector: string, value: Given): Where<T> {
    return this.#match(selector, '<', false, literalOf(value))
  }
  lte(selector: string, value: Given): Where<T> {
    return this.#match(selector, '<=', false, literalOf(value))
  }
  gt(selector: string, value: Given): Where<T> {
    return this.#match(selector, '>', false, literalOf(value))
  }
  gte(selector: string, value: Given): Where<T> {
    return this.#match(selector, '>=', false, literalOf(value))
  }
  contains(selector: string, value: Given): Where<T> {
    return this.#match(selector, 'in', false, literalOf(value))
  }
  notContains(selector: string, value: Given): Where<T> {
    return this.#match(selector, 'in', true, literalOf(value))
  }
  matches(selector: string, pattern: string | Deferred): Where<T> {
    return this.#match(selector, 'matches', false, literalOf(pattern))
  }
  notMatches(selector: string, pattern: string | Deferred): Where<T> {
    return this.#match(selector, 'matches', true, literalOf(pattern))
  }
  startsWith(selector: string, value: Given): Where<T> {
    return this.#match(selector, 'starts with', false, literalOf(value))
  }
  notStartsWith(selector: string, value: Given): Where<T> {
    return this.#match(selector, 'starts with', true, literalOf(value))
  }
  endsWith(selector: string, value: Given): Where<T> {
    return this.#match(selector, 'ends with', false, literalOf(value))
  }
  notEndsWith(selector: string, value: Given): Where<T> {
    return this.#match(selector, 'ends with', true, literalOf(value))
  }
  between(selector: string, least: Given, most: Given): Where<T> {
    return this.#match(selector, 'between', false, literalsOf([least, most]))
  }
  notBetween(selector: string, least: Given, most: Given): Where<T> {
    return this.#match(selector, 'between', true, literalsOf([least, most]))
  }
  isTrue(selector: string): Where<T> {
    return this.#match(selector, 'is true', false, null)
  }
  isFalse(selector: string): Where<T> {
    return this.#match(selector, 'is false', false, null)
  }
  count(selector: string, order: CountOrder, value: number | Deferred): Where<T> {
    const negated = order === '!='
    return this.#match(selector, `count ${negated ? '==' : order}`, negated, literalOf(value))
  }
  empty(selector: string): Where<T> {
    return this.#match(selector, 'is empty', false, null)
  }
  notEmpty(selector: string): Where<T> {
    return this.#match(selector, 'is empty', true, null)
  }
  nil(selector: string): Where<T> {
    return this.#match(selector, 'is nil', false, null)
  }
  notNil(selector: string): Where<T> {
    return this.#match(selector, 'is nil', true, null)
  }
  missing(selector: string): Where<T> {
    return this.#match(selector, 'is present', true, null)
  }
  present(selector: string): Where<T> {
    return this.#match(selector, 'is present', false, null)
  }
  sameAs(selector: string, other: string): Where<T> {
    return this.#match(selector, '==', false, { type: 'field', selector: selectorOf(other), ...nowhere })
  }
  or(...alternatives: readonly Where<T>[]): Where<T> {
    return this.#with(
      joined(
        'or',
        alternatives.map(({ expression }) => expression),
      ),
    )
  }
  not(condition: Where<T>): Where<T> {
    return this.#with({ type: 'not', operand: condition.expression, ...nowhere })
  }

  #match(selector: string, op: Operator, negated: boolean, operand: Match['operand']): Where<T> {
    return this.#with({
      type: 'match',
      selector: selectorOf(selector),
      op,
      negated,
      operand,
      ignoreCase: false,
      ...nowhere,
    })
  }

  #with(condition: Expression): Where<T> {
    return new Conditions<T>([...this.#conditions, condition])
  }
}

function joined(type: 'and' | 'or', operands: readonly Expression[]): Expression {
  const [only, ...more] = operands
  if (only === undefined) throw new TypeError('the filter has no condition yet')
  return more.length === 0 ? only : { type, operands, ...nowhere }
}

/** A built node has no position. */
const nowhere = { start: 0, end: 0 } as const

const selectorOf = (text: string): Selector => {
  const read = parse(`${text} is nil`)
  if (read.type !== 'match') throw new TypeError(`${text} is not a selector`)
  return { path: read.selector.path, ...nowhere }
}

const literalOf = (given: Given): Value => ({ type: 'value', ...formOf(given), ...nowhere })

function formOf(given: Given): Pick<Value, 'form' | 'text'> {
  if (typeof given === 'object' && given !== null && !isDate(given)) {
    if ('parameter' in given) return { form: 'parameter', text: given.parameter }
    const text = 'now' in given ? `now ${given.now}`.trim() : ''
    if (momentOffset(text) !== undefined) return { form: 'moment', text }
  }
  return {
    form: typeof given === 'number' || typeof given === 'bigint' ? 'number' : 'string',
    text: textOf(given),
  }
}

/** Callers without types can pass other values, whose text would be compared silently. */
const textOf = (given: Given): string => {
  if (isDate(given) && !Number.isNaN(+given)) return given.toISOString()
  if (givable.has(typeof given) && !Number.isNaN(given)) return String(given)
  throw new TypeError(`${String(given)} is not a value; for null use missing() and present()`)
}

const givable: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean'])

const literalsOf = (given: readonly Given[]): Values => {
  if (!Array.isArray(given)) throw new TypeError(`a list of values is an array, not ${String(given)}`)
  return { type: 'values', values: given.map(literalOf), ...nowhere }
}
