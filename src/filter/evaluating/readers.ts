import type { Lacking } from './prototypes.ts'

/** An object whose properties are read by name. */
export interface Row {
  readonly [key: string]: unknown
}

/** Reads a property that is an object's own; {@link notPlain} where that cannot be told at a glance. */
export type Reader = (from: Row, key: string, lacks: Lacking) => unknown

/** The result of a reader if only the general evaluation can read the property. */
export const notPlain: unique symbol = Symbol('not plain')

/** Every plain object's prototype: a name found there is no object's own, and any name may have been added. */
const inherited = Object.prototype as unknown as Row

const ownValue = (
  from: Row,
  prototype: object | null,
  elsewhere: unknown,
  key: string,
  lacks: Lacking,
): unknown => {
  if (elsewhere !== undefined) return notPlain
  if (prototype === inherited || prototype === null) return from[key]
  if (prototype !== lacks.last && !lacks.learn(from, prototype)) return notPlain
  // An instance of a class is no map: what it lacks is an error.
  return from[key] ?? notPlain
}

/**
 * The reader of a property.
 *
 * An engine remembers, per function in the source, what names and shapes of objects it has met there. One
 * function reading every property of every filter has met too many and takes the slow way each time; with a
 * function for each name, the read and the look at the prototype cost next to nothing. Generated code has that by
 * itself. A program that filters by more names than there are readers here shares one among the rest, which
 * costs time only.
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

const commonReader: Reader = (from, key, lacks) =>
  ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks)

const readers: readonly Reader[] = [
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
  (from, key, lacks) => ownValue(from, Object.getPrototypeOf(from), inherited[key], key, lacks),
]
