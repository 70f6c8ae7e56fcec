/** The name that a misspelt one probably meant: within two edits, or equal but for its case. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.min(2, Math.floor(name.length / 2)) + 1
  for (const candidate of names) {
    const slips = candidate.toLowerCase() === name.toLowerCase() ? 0 : distance(name, candidate, least)
    if (slips < least) {
      least = slips
      best = candidate
    }
  }
  return best
}

/** Insertions, deletions, replacements and swaps of neighbours; anything from `limit` up is `limit`. */
function distance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit
  let before: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1]
      let slips = Math.min(
        (last[column] ?? limit) + 1,
        (next[column - 1] ?? limit) + 1,
        (last[column - 1] ?? limit) + (same ? 0 : 1),
      )
      if (left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        slips = Math.min(slips, (before[column - 2] ?? limit) + 1)
      }
      next.push(slips)
    }
    before = last
    last = next
  }
  return Math.min(limit, last[right.length] ?? limit)
}
