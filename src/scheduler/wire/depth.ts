/** Stores keep 200 levels; what a body says stands a few levels deep in what is kept. */
export const maxDepth = 150

/** Whether JSON data are nested deeper than that; found without recursion, since callers choose the depth. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}
