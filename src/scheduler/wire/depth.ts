/** Stores keep 200 levels; what a body says stands a few levels deep in what is kept. */
export const maxDepth = 150

/**
 * Whether JSON data are nested deeper than that, and whether one of their numbers is -0, which `JSON.parse` makes and
 * stores refuse. What contains itself is too deep: the check goes no deeper.
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
