/** Stores keep 200 levels; what a body says stands a few levels deep in what is kept. */
export const maxDepth = 150

/** Whether JSON data are nested deeper than that; found without recursion, since callers choose the depth. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true
    const next: unknown[] = []
    for (const item of level)
      if (typeof item === 'object' && item !== null) for (const inner of Object.values(item)) next.push(inner)
    level = next
  }
  return false
}

/** Whether a number in JSON data is -0, which `JSON.parse` makes and stores refuse. Not for data that are too deep. */
export const hasNegativeZero = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(hasNegativeZero)
    : value === 0 && Object.is(value, -0)
