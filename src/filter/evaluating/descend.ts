import { isBytes } from '../../kernel/objects.ts'
import type { Advice } from '../advising/advice.ts'
import type { Selector } from '../ast.ts'
import { FilterError, type FilterErrorKind } from '../error.ts'
import { parseInteger } from '../kinds/coerce.ts'
import { entry, isList, kindName, own, unwrap } from '../kinds/kind-of.ts'
import { isDate, isMap, isPlain } from '../kinds/realms.ts'
import { anyShape, byteShape, type Shape } from '../kinds/shape.ts'
import type { Missing } from '../operators/rules.ts'
import { pointerText } from '../writing/selector-text.ts'
import type { Scope, Test } from './predicate.ts'
import type { Work } from './work.ts'

/** The context for reading a selector. */
export interface PathContext {
  readonly source: string
  /** Whether the dialect is `standard`, in which a path through a list means any of its items. */
  readonly standard: boolean
  /** The value of a missing field or key. */
  readonly unknown: { readonly value: unknown } | undefined
  readonly missing: Missing
  readonly advise?: Advice | undefined
  readonly work: Work
}

/**
 * Follows a selector from a value and tests what it finds: from the datum, or past its first segment from what a
 * quantifier named so. A missing key at the end of a path below a map returns `missing`; everything else that is
 * missing is an error.
 */
export function descender(
  selector: Selector,
  from: 0 | 1,
  test: Test,
  missing: boolean,
  context: PathContext,
): Test {
  const { path } = selector
  const last = path.length - 1
  const indexes = path.map(indexOf)
  const mayMiss = context.missing !== 'error'

  const fail = (kind: FilterErrorKind, at: number, why: string): never => {
    throw new FilterError(
      kind,
      context.standard
        ? `${context.source.slice(selector.start, selector.end)}: ${why}`
        : `error finding value in datum: ${pointerText(path)} at part ${at}: ${why}`,
      context.source,
      selector,
    )
  }
  /** How to declare that the value may be absent. */
  const advice = (end: number): string =>
    (context.standard && end > 0 && context.advise?.absent(path.slice(0, end))) || ''

  /** `map`: the declared kind of the map that lacks the key; `undefined` if it is not a map. */
  const absent = (
    map: Shape | undefined,
    at: number,
    key: string,
    datum: unknown,
    scope: Scope | undefined,
  ): boolean => {
    if (context.unknown !== undefined) return test(context.unknown.value, anyShape, datum, scope)
    // For a pointer to a map, a missing key is an error.
    if (map !== undefined && map.type !== 'pointer' && at === last && at > 0) return missing
    if (mayMiss) return missing
    const what = context.standard
      ? 'there is no field'
      : `couldn't find key${map === undefined ? ': struct field with name' : ''}`
    return fail('not-found', at, `${what} ${JSON.stringify(key)}${map?.type === 'any' ? advice(at + 1) : ''}`)
  }

  const notInteger = (at: number, key: string): never =>
    fail('index-convert', at, `couldn't convert value ${JSON.stringify(key)} to type int`)

  const step = (
    value: unknown,
    declared: Shape,
    at: number,
    datum: unknown,
    scope: Scope | undefined,
  ): boolean => {
    const isNull = value === null || value === undefined
    // At the end of a path, an optional list or map that is null is empty; only other kinds are missing.
    if (isNull && (declared.type === 'optional' || mayMiss) && (at <= last || !isCollection(declared)))
      return missing
    if (at > last) return test(value, declared, datum, scope)
    const key = path[at] ?? ''
    const shape = unwrap(declared)
    // A nil list or map is an empty one.
    const isEmpty = isNull && declared.type !== 'pointer'

    if (isList(value) || (isEmpty && shape.type === 'list')) {
      const list = isList(value) ? value : []
      const of = elementOf(value, shape)
      const index = indexes[at]
      if (index === undefined) {
        if (!context.standard) return notInteger(at, key)
        for (let item = 0; item < list.length; item += 1) {
          context.work.spend(1, selector)
          if (step(list[item], of, at, datum, scope)) return true
        }
        return false
      }
      if (index < 0 || index >= list.length) {
        if (mayMiss) return missing
        return fail('out-of-range', at, `index ${index} is out of range (length = ${list.length})`)
      }
      return step(list[Number(index)], of, at + 1, datum, scope)
    }
    // What remains is an object, or an absent map.
    const isObject = typeof value === 'object' && !isNull && !isDate(value)
    if (!isObject && !(isEmpty && shape.type === 'map')) {
      return fail(
        'not-indexable',
        at,
        isNull ? `there is no value here${advice(at)}` : `type ${kindName(value, declared)} has no fields`,
      )
    }

    let found: unknown
    let below: Shape = anyShape
    let map: Shape | undefined
    if (shape.type === 'struct' && !isMap(value)) {
      const field = shape.fields.get(key)
      if (field?.access === 'hidden') {
        return fail('type', at, `struct field ${JSON.stringify(key)} is ignored and cannot be used`)
      }
      const readable = field === undefined ? shape.open : field.access === 'open'
      if (field?.of !== undefined) found = field.of(value)
      else found = readable ? own(value as object, field?.property ?? key) : undefined
      below = field?.shape ?? anyShape
      // What is optional is missing; other fields are required.
      if (readable && below.type === 'optional') return step(found, below, at + 1, datum, scope)
    } else if (isMap(value) || shape.type === 'map' || isPlain(value as object)) {
      map = declared
      const integer = shape.type === 'map' && shape.intKeys ? indexes[at] : key
      if (integer === undefined) return notInteger(at, key)
      found = entry(value, String(integer))
      if (shape.type === 'map') below = shape.of
    } else found = own(value as object, key)
    return found === undefined ? absent(map, at, key, datum, scope) : step(found, below, at + 1, datum, scope)
  }

  return (value, shape, datum, scope) => step(value, shape, from, datum, scope)
}

const elementOf = (list: unknown, shape: Shape): Shape =>
  shape.type === 'list' ? shape.of : isBytes(list) ? byteShape : anyShape

const isCollection = (declared: Shape): boolean => {
  const { type } = unwrap(declared)
  return type === 'list' || type === 'map'
}

/** The text of a list index: an integer in Go's syntax, and the empty text is 0. */
const indexOf = (key: string): number | bigint | undefined => {
  const index = key === '' ? 0 : parseInteger(key, false)
  return typeof index === 'string' ? undefined : index
}
