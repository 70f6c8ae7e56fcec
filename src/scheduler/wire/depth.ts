/** Stores accept 200 levels; a body is nested a few levels deep in its record. */
export const maxDepth = 150

/**
 * Whether JSON data are nested too deep, or contain the number -0, which `JSON.parse` produces and stores refuse.
 * Cyclic data are too deep: the check stops at the limit.
 */
export function lookThrough(value: unknown): {
  readonly isTooDeep: boolean
  readonly hasNegativeZero: boolean
} {
  let hasNegativeZero = false
  const isTooDeep = (item: unknown, left: number): boolean => {
    if (left < 0) return true
    if (typeof item !== 'object' || item === null) {
      if (item === 0 && Object.is(item, -0)) hasNegativeZero = true
      return false
    }
    for (const each of Object.values(item)) if (isTooDeep(each, left - 1)) return true
    return false
  }
  return { isTooDeep: isTooDeep(value, maxDepth), hasNegativeZero }
}
