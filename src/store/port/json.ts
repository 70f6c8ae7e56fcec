import { StoreError } from './errors.ts'
import { utf8Length } from './keys.ts'
import { type Json, limits } from './port.ts'

/**
 * Verifies that a value is JSON that every adapter returns unchanged, and freezes it deeply. Frozen values are walked
 * too: callers' own freezes are shallow.
 *
 * @returns an upper bound of its size in bytes
 */
export function vet(value: unknown): number {
  const bound = vetForm(value)
  if (bound <= limits.valueBytes) return bound
  checkLeastBytes(value)
  return checkTextBytes(value)
}

/** The same, without a size limit. */
export function vetForm(value: unknown): number {
  const bound = walk(value, 0)
  if (Number.isNaN(bound))
    throw new StoreError('invalid', `not JSON data: ${fault(value, '', 0) ?? 'unknown'}`)
  return bound
}

/**
 * Refuses a JSON value that is too large whatever is in its strings: its text might not fit into memory, or into a
 * string.
 *
 * @returns a lower bound of its size in bytes
 */
export function checkLeastBytes(value: unknown): number {
  const least = leastBytes(value)
  if (least <= limits.valueBytes) return least
  throw new StoreError(
    'invalid',
    `a value has at most ${limits.valueBytes} bytes of JSON, and this one has more`,
  )
}

/** Refuses a value whose text is too large; returns its size in bytes. */
export function checkTextBytes(value: unknown): number {
  // The text of a long string takes memory and time: sealed values and most others are measured without it.
  const isPlain = typeof value === 'string' && plainText.test(value)
  return checkBytes(isPlain ? value.length + 2 : utf8Length(JSON.stringify(value)))
}

/** Refuses the size of a value whose text is too large. */
export function checkBytes(bytes: number): number {
  if (bytes <= limits.valueBytes) return bytes
  throw new StoreError('invalid', `a value has at most ${limits.valueBytes} bytes of JSON, not ${bytes}`)
}

/** ASCII characters that JSON does not escape. */
const plainText = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** The minimum size of JSON, without its text. */
function leastBytes(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 1
  let bytes = 2
  if (Array.isArray(value)) for (const item of value) bytes += leastBytes(item) + 1
  else for (const [key, inner] of Object.entries(value)) bytes += key.length + 4 + leastBytes(inner)
  // No comma stands before the first.
  return bytes > 2 ? bytes - 1 : bytes
}

/** The maximum size, or NaN when a part is not JSON. */
function walk(value: unknown, depth: number): number {
  switch (typeof value) {
    case 'string':
      return value.length * 6 + 2
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? 24 : Number.NaN
    case 'boolean':
      return 5
    case 'object':
      break
    default:
      return Number.NaN
  }
  if (value === null) return 4
  if (depth >= limits.depth) return Number.NaN
  let bytes = 2
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) bytes += walk(value[at], depth + 1) + 1
  } else {
    if (!isPlain(value)) return Number.NaN
    const record = value as Readonly<Record<string, unknown>>
    for (const key of Object.keys(record)) bytes += key.length * 6 + 4 + walk(record[key], depth + 1)
  }
  if (!Object.isFrozen(value)) Object.freeze(value)
  return bytes
}

/** Objects without a prototype, or with the root prototype of any JavaScript realm. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Describes where and why a value is not JSON, without revealing the value. */
function fault(value: unknown, path: string, depth: number): string | undefined {
  const at = path === '' ? 'the value' : path
  if (typeof value === 'number' && Object.is(value, -0)) return `${at} is -0`
  if (typeof value === 'number' && !Number.isFinite(value)) return `${at} is ${value}`
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return undefined
  if (typeof value !== 'object') return `${at} is ${typeof value === 'undefined' ? '' : 'a '}${typeof value}`
  if (depth >= limits.depth) return `${at} is nested deeper than ${limits.depth} levels`
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found = fault(value[index], `${path}[${index}]`, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (!isPlain(value)) return `${at} is an instance of a class`
  for (const [key, inner] of Object.entries(value)) {
    const found = fault(inner, path === '' ? key : `${path}.${key}`, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Parses JSON text into frozen data, as stores return it. `__proto__` in it becomes an own property, as in
 * `JSON.parse`.
 *
 * @example
 * ```ts
 * import { parseFrozen } from 'plinth/store'
 *
 * Object.isFrozen(parseFrozen('{"a":[1]}')) // true
 * ```
 */
export const parseFrozen = (text: string): Json => freezeDeep(JSON.parse(text) as Json)

/** Freezes data that were just parsed, to the bottom. */
export function freezeDeep<T extends Json>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  // Without an array of each object's values: a replica of a large realm freezes millions.
  if (isList(value)) for (const inner of value) freezeDeep(inner)
  else for (const name in value) freezeDeep(value[name] as Json)
  return Object.freeze(value)
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
