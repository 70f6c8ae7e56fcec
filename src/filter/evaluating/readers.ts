import type { Lacking } from './prototypes.ts'

/** An object whose properties are read by name. */
export interface Row {
  readonly [key: string]: unknown
}

/** Reads an own property of an object; {@link notPlain} if that cannot be decided cheaply. */
export type Reader = (from: Row, key: string, lacks: Lacking) => unknown

/** The result of a reader if only the general evaluation can read the property. */
export const notPlain: unique symbol = Symbol('not plain')

/**
 * The prototype of every plain object: a name found there is not the object's own, and any name may have been added.
 */
const inherited = Object.prototype as unknown as Row

/** The value is read before: where objects have few shapes, the host then knows the prototype without a call. */
const ownValue = (from: Row, value: unknown, elsewhere: unknown, lacks: Lacking): unknown => {
  if (elsewhere !== undefined) return notPlain
  const prototype: object | null = Object.getPrototypeOf(from)
  if (prototype === inherited || prototype === null) return value
  if (prototype !== lacks.last && !lacks.learn(from, prototype)) return notPlain
  // An instance of a class is not a map: a missing property is an error.
  return value ?? notPlain
}

/**
 * The reader of a property.
 *
 * An engine caches, per function in the source, the property names and object shapes that it has seen there. One
 * function that reads every property of every filter sees too many and always takes the slow path; with a function per
 * name, the read and the check of the prototype cost next to nothing. Generated code has this by itself. A program that
 * filters by more names than there are readers here shares one among the rest, which only costs time.
 */
export function readerOf(key: string): Reader {
  const known = taken.get(key)
  if (known !== undefined) return known
  const reader = readers[taken.size]
  if (reader === undefined) return commonReader
  taken.set(key, reader)
  return reader
}

const taken = new Map<string, Reader>()

const commonReader: Reader = (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks)

const readers: readonly Reader[] = [
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
  (from, key, lacks) => ownValue(from, from[key], inherited[key], lacks),
]
