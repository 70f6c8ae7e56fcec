/** An object whose properties are read by name. */
export interface Row {
  readonly [key: string]: unknown
}

/** Reads a property that is an object's own; {@link notPlain} where that cannot be told at a glance. */
export type Reader = (from: Row, key: string) => unknown

/** What a reader finds in anything but a plain object. */
export const notPlain: unique symbol = Symbol('not a plain object')

/** Every plain object's prototype: a name found there is nobody's own, and somebody may have added any name. */
const inherited = Object.prototype as unknown as Row

const ownValue = (from: object, value: unknown, elsewhere: unknown): unknown => {
  const prototype: unknown = Object.getPrototypeOf(from)
  return prototype === null || (prototype === inherited && elsewhere === undefined) ? value : notPlain
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

const commonReader: Reader = (from, key) => ownValue(from, from[key], inherited[key])

const readers: readonly Reader[] = [
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
  (from, key) => ownValue(from, from[key], inherited[key]),
]
