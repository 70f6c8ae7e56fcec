/** What an object of another realm (`vm`, jsdom, an iframe) is, by its prototype: `instanceof` knows one's own alone. */
type Kind = 'plain' | 'time' | 'map' | 'bytes'

/** Prototypes of classes and of other realms, with the kind of their instances; `undefined` for classes. */
const kinds = new WeakMap<object, Kind | undefined>()

const tags: Readonly<Record<string, Kind>> = {
  '[object Date]': 'time',
  '[object Map]': 'map',
  '[object Uint8Array]': 'bytes',
}

const kindOf = (value: object, prototype: object): Kind | undefined =>
  Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty')
    ? 'plain'
    : tags[Object.prototype.toString.call(value)]

/** The kind of an object that is neither a plain object nor an array of this realm; `undefined` for classes. */
export function foreignKind(value: object): Kind | undefined {
  const prototype: object | null = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null || prototype === Array.prototype) return undefined
  const known = kinds.get(prototype)
  if (known !== undefined || kinds.has(prototype)) return known
  const found = kindOf(value, prototype)
  kinds.set(prototype, found)
  return found
}

const isForeign = (value: unknown, kind: Kind): boolean =>
  typeof value === 'object' && value !== null && foreignKind(value) === kind

export const isDate = (value: unknown): value is Date => value instanceof Date || isForeign(value, 'time')

export const isMap = (value: unknown): value is ReadonlyMap<unknown, unknown> =>
  value instanceof Map || isForeign(value, 'map')

/** Whether an object is an object literal, and not an instance of a class. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isForeign(value, 'plain')
}
