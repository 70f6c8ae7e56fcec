/** What an object of another realm (`vm`, jsdom, an iframe) is, by its prototype: `instanceof` knows one's own alone. */
type Kind = 'plain' | 'time' | 'map' | 'bytes'

/** Prototypes of classes and of other realms, with the kind of their instances; `undefined` for classes. */
const kinds = new WeakMap<object, Kind | undefined>()

/** Each of these works on objects of any realm, and throws for others. */
const slots: readonly (readonly [Kind, (value: never) => unknown])[] = [
  ['time', (value) => Date.prototype.getTime.call(value)],
  ['map', (value) => Map.prototype.has.call(value, undefined)],
]

const arrayName = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)

function kindOf(value: object, prototype: object): Kind | undefined {
  if (Object.getPrototypeOf(prototype) === null)
    return Object.hasOwn(prototype, 'hasOwnProperty') ? 'plain' : undefined
  if (arrayName?.get?.call(value) === 'Uint8Array') return 'bytes'
  for (const [kind, read] of slots)
    try {
      read(value as never)
      return kind
    } catch {
      // It has no such slot.
    }
  return undefined
}

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

export const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array || isForeign(value, 'bytes')

/** Whether an object is an object literal, and not an instance of a class. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isForeign(value, 'plain')
}
