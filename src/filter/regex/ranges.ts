/** A set of code points: ascending `[first, last, first, last, …]`, neither overlapping nor adjacent. */
export type Ranges = readonly number[]

/** The last code point of Unicode. */
export const LAST_CODE_POINT = 0x10ffff

/** Every code point. */
export const EVERYTHING: Ranges = [0, LAST_CODE_POINT]

/** Normalises pairs in any order, overlapping or not, to a set. */
export function normalise(pairs: readonly number[]): Ranges {
  // Most are normalised already.
  if (pairs.every((bound, at) => at % 2 === 1 || bound > (pairs[at - 1] ?? -2) + 1)) return pairs
  const starts: [number, number][] = []
  for (let at = 0; at < pairs.length; at += 2) starts.push([pairs[at] ?? 0, pairs[at + 1] ?? 0])
  starts.sort((a, b) => a[0] - b[0])
  const set: number[] = []
  for (const [first, last] of starts) {
    const end = set.length - 1
    if (end > 0 && first <= (set[end] ?? 0) + 1) set[end] = Math.max(set[end] ?? 0, last)
    else set.push(first, last)
  }
  return set
}

/** The code points that are not in the set. */
export function complement(set: Ranges): Ranges {
  const rest: number[] = []
  let first = 0
  for (let at = 0; at < set.length; at += 2) {
    const start = set[at] ?? 0
    if (start > first) rest.push(first, start - 1)
    first = (set[at + 1] ?? 0) + 1
  }
  if (first <= LAST_CODE_POINT) rest.push(first, LAST_CODE_POINT)
  return rest
}

/** Whether the set contains a code point. */
export function holds(set: Ranges, codePoint: number): boolean {
  let low = 0
  let high = set.length >> 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (codePoint > (set[2 * middle + 1] ?? 0)) low = middle + 1
    else high = middle
  }
  return low < set.length >> 1 && codePoint >= (set[2 * low] ?? 0)
}
