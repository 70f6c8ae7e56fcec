/** Deeper data than any store takes is refused later; a cycle has no end. */
const mostLevels = 256

/**
 * Copies data and freezes the copy; what is frozen to the bottom already is shared. Objects of classes stay as they are.
 *
 * @param base - data that `value` was made from: the parts that it shares with them at the same place are not looked at
 */
export const frozenCopy = <Value>(value: Value, base?: unknown): Value => copied(value, base, 0) as Value

const nothing = {}

function copied(value: unknown, base: unknown, level: number): unknown {
  if (typeof value !== 'object' || value === null || value === base || level > mostLevels) return value
  // An array is read by its indexes, like an object.
  const before = (typeof base === 'object' && base !== null ? base : nothing) as Readonly<
    Record<string, unknown>
  >
  if (Array.isArray(value)) {
    let isShared = Object.isFrozen(value)
    const copy = value.map((inner: unknown, at) => {
      const part = copied(inner, before[at], level + 1)
      if (part !== inner) isShared = false
      return part
    })
    return isShared ? value : Object.freeze(copy)
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  // The root prototype of any JavaScript realm.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value
  let isShared = Object.isFrozen(value)
  const copy: Record<string, unknown> = prototype === null ? Object.create(null) : {}
  const given = value as Readonly<Record<string, unknown>>
  for (const key of Object.keys(given)) {
    const inner = given[key]
    const part = copied(inner, before[key], level + 1)
    if (part !== inner) isShared = false
    if (key === '__proto__') Object.defineProperty(copy, key, { value: part, enumerable: true })
    else copy[key] = part
  }
  return isShared ? value : Object.freeze(copy)
}
