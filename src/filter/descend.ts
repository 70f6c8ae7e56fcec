import type { Selector } from './ast.ts'
import { parseInteger } from './coerce.ts'
import { FilterError, type FilterErrorKind } from './error.ts'
import { entry, isPlain, kindName, own, unwrap } from './kind-of.ts'
import type { Scope, Test } from './predicate.ts'
import { anyShape, type Shape, scalarShape } from './shape.ts'

/** What reading a selector needs to know of its expression. */
export interface PathContext {
  readonly source: string
  /** Whether a path through a list means any of its items. */
  readonly throughLists: boolean
  /** What stands for a field or key that is not there. */
  readonly unknown: { readonly value: unknown } | undefined
}

/** How a selector begins: at the datum, or at a name that a quantifier gave. */
export interface Start {
  /** How many segments are read already. */
  readonly from: number
  /** Whether the value stands in a list or map already, so that its first key may be missing. */
  readonly inside: boolean
}

/**
 * Follows a selector from a value and puts what it finds to the test. A missing key at the end of a path below
 * a map answers `missing`; everything else that is not there is an error.
 */
export function descender(
  selector: Selector,
  start: Start,
  test: Test,
  missing: boolean,
  context: PathContext,
): Test {
  const { path } = selector
  const last = path.length - 1

  const fail = (kind: FilterErrorKind, at: number, why: string): never => {
    throw new FilterError(
      kind,
      `error finding value in datum: ${pointerOf(path)}${at < 0 ? '' : ` at part ${at}`}: ${why}`,
      context.source,
      selector,
    )
  }
  /** `map`: the declared kind of the map that lacks the key; `undefined` where it is no map. */
  const absent = (
    map: Shape | undefined,
    at: number,
    key: string,
    datum: unknown,
    scope: Scope | undefined,
  ): boolean => {
    if (context.unknown !== undefined) return test(context.unknown.value, anyShape, datum, scope)
    // A pointer to a map is not forgiven a missing key.
    if (map !== undefined && map.type !== 'pointer' && at === last && (at > 0 || start.inside)) return missing
    const what = map === undefined ? ': struct field with name' : ''
    return fail('not-found', at, `couldn't find key${what} ${JSON.stringify(key)}`)
  }

  const step = (
    value: unknown,
    declared: Shape,
    at: number,
    datum: unknown,
    scope: Scope | undefined,
  ): boolean => {
    if (at > last) {
      return declared.type === 'optional' &&
        (value === null || value === undefined) &&
        missingWhenNull(declared)
        ? missing
        : test(value, declared, datum, scope)
    }
    const key = path[at] ?? ''
    if (declared.type === 'optional' && (value === null || value === undefined)) return missing
    const shape = unwrap(declared)

    if (Array.isArray(value) || value instanceof Uint8Array) {
      return inList(value, elementOf(value, shape), key, at, datum, scope)
    }
    if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
      if (shape.type === 'struct' && !(value instanceof Map))
        return inStruct(value, shape, key, at, datum, scope)
      if (value instanceof Map || shape.type === 'map' || isPlain(value))
        return inMap(value, declared, key, at, datum, scope)
      const found = own(value, key)
      return found === undefined
        ? absent(undefined, at, key, datum, scope)
        : step(found, anyShape, at + 1, datum, scope)
    }
    if (value === null || value === undefined) {
      // A nil list or map is an empty one.
      if (shape.type === 'map' && declared.type !== 'pointer')
        return inMap({}, declared, key, at, datum, scope)
      if (shape.type === 'list' && declared.type !== 'pointer')
        return inList([], shape.of, key, at, datum, scope)
    }
    return fail('not-indexable', -1, `at part ${at}, invalid value kind: ${kindName(value, declared)}`)
  }

  const inStruct = (
    value: object,
    shape: Shape & { readonly type: 'struct' },
    key: string,
    at: number,
    datum: unknown,
    scope: Scope | undefined,
  ): boolean => {
    const field = shape.fields.get(key)
    if (field?.access === 'hidden') {
      return fail('type', at, `struct field ${JSON.stringify(key)} is ignored and cannot be used`)
    }
    const readable = field === undefined ? shape.open : field.access === 'open'
    const found = readable ? own(value, field?.property ?? key) : undefined
    if (found === undefined) {
      // Lists, maps and what may be absent are empty or missing; other fields must be there.
      const type = field?.access === 'open' ? field.shape.type : 'any'
      if (type !== 'optional') return absent(undefined, at, key, datum, scope)
    }
    return step(found, field?.shape ?? anyShape, at + 1, datum, scope)
  }

  const inMap = (
    value: object,
    declared: Shape,
    key: string,
    at: number,
    datum: unknown,
    scope: Scope | undefined,
  ): boolean => {
    const shape = unwrap(declared)
    const intKeys = shape.type === 'map' && shape.intKeys
    const integer = intKeys ? indexOf(key) : undefined
    if (intKeys && integer === undefined) {
      return fail('index-convert', at, `couldn't convert value ${JSON.stringify(key)} to type int`)
    }
    const found = entry(value, integer === undefined ? key : String(integer))
    return found === undefined
      ? absent(declared, at, key, datum, scope)
      : step(found, shape.type === 'map' ? shape.of : anyShape, at + 1, datum, scope)
  }

  const inList = (
    list: ArrayLike<unknown>,
    of: Shape,
    key: string,
    at: number,
    datum: unknown,
    scope: Scope | undefined,
  ): boolean => {
    const index = indexOf(key)
    if (index === undefined) {
      if (!context.throughLists) {
        return fail('index-convert', at, `couldn't convert value ${JSON.stringify(key)} to type int`)
      }
      for (let item = 0; item < list.length; item += 1)
        if (step(list[item], of, at, datum, scope)) return true
      return false
    }
    if (index < 0 || index >= list.length) {
      return fail('out-of-range', at, `index ${index} is out of range (length = ${list.length})`)
    }
    return step(list[Number(index)], of, at + 1, datum, scope)
  }

  return (value, shape, datum, scope) => step(value, shape, start.from, datum, scope)
}

const elementOf = (list: unknown, shape: Shape): Shape =>
  shape.type === 'list' ? shape.of : list instanceof Uint8Array ? scalarShape('uint8') : anyShape

/** An optional list or map that is null is empty, as ever; only other kinds follow the missing-key rules. */
const missingWhenNull = (declared: Shape): boolean => {
  const { type } = unwrap(declared)
  return type !== 'list' && type !== 'map'
}

/** The text of a list index: an integer in Go's syntax, and the empty text is 0. */
const indexOf = (key: string): number | bigint | undefined => {
  const index = key === '' ? 0 : parseInteger(key, false)
  return typeof index === 'string' ? undefined : index
}

const pointerOf = (path: readonly string[]): string =>
  path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
