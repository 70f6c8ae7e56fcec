import { isBytes } from '../../kernel/objects.ts'
import { isDate, isMap, isPlain } from '../kinds/realms.ts'

/** The cell of a row without a value at the path: the key at which the path ends, and the type of what it ends in. */
export class Gap {
  readonly at: number
  readonly value: null | undefined

  constructor(at: number, value: null | undefined) {
    this.at = at
    this.value = value
  }
}

/** A value that a column does not store: the row itself is tested. */
export const odd: unique symbol = Symbol('odd')

/** Longer strings and lists are not stored: reading one may take any time. */
export const longest = { string: 256, list: 16 } as const

/** The value of a path of own properties in a row. */
export function cellOf(row: unknown, keys: readonly string[]): unknown {
  let value = row
  try {
    for (let at = 0; at < keys.length; at += 1) {
      if (typeof value !== 'object' || value === null) return at > 0 && value === null ? gap(at, null) : odd
      if (Array.isArray(value) || isMap(value) || isDate(value) || isBytes(value)) return odd
      const key = keys[at] ?? ''
      const found = Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined
      if (found === undefined) return isPlain(value) ? gap(at, undefined) : odd
      value = found
    }
  } catch {
    // A getter that throws; testing the row will throw again.
    return odd
  }
  return isKept(value) ? value : odd
}

function isKept(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return value.length <= longest.string
    case 'number':
      return !Object.is(value, -0)
    case 'boolean':
    case 'bigint':
      return true
    case 'object':
      return value === null || isUsualDate(value) || isShortList(value)
    default:
      return false
  }
}

const isUsualDate = (value: object): boolean =>
  Object.getPrototypeOf(value) === Date.prototype && isDate(value)

function isShortList(value: object): boolean {
  if (!Array.isArray(value) || value.length > longest.list) return false
  for (let at = 0; at < value.length; at += 1) {
    const item: unknown = value[at]
    const kept =
      typeof item === 'string'
        ? item.length <= longest.string
        : typeof item === 'boolean' ||
          (typeof item === 'number' && Number.isFinite(item) && !Object.is(item, -0))
    if (!kept) return false
  }
  return true
}

const gaps = new Map<string, Gap>()

/** One object per kind of gap, so that equal gaps are identical. */
function gap(at: number, value: null | undefined): Gap {
  const name = `${at} ${value}`
  const known = gaps.get(name)
  if (known !== undefined) return known
  const made = new Gap(at, value)
  gaps.set(name, made)
  return made
}

/** The identity of equal values: lists by their elements, dates by their instant. */
export function keyOf(cell: unknown): unknown {
  if (typeof cell !== 'object' || cell === null || cell instanceof Gap) return cell
  // Cannot collide with a string: stored strings are shorter.
  const long = ' '.repeat(longest.string + 1)
  return (isDate(cell) ? String(+cell) : JSON.stringify(cell)) + long
}

/** A row in which a path finds the cell. */
export function rowWith(cell: unknown, keys: readonly string[]): unknown {
  const end = cell instanceof Gap ? cell.at : keys.length
  let row: unknown = cell instanceof Gap ? (cell.value === null ? null : {}) : cell
  for (const key of keys.slice(0, end).reverse()) row = { [key]: row }
  return row
}
