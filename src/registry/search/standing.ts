/**
 * Which slots stand at `offset` to `offset + limit` when all that have points are ordered by points, and equal points
 * as they come in `order`. Two passes over typed arrays; nothing is sorted.
 */
export function standing(
  order: Uint32Array,
  points: Uint16Array,
  most: number,
  offset: number,
  limit: number,
): { readonly slots: readonly number[]; readonly total: number } {
  const counts = new Uint32Array(most + 1)
  for (let at = 0; at < order.length; at += 1) {
    const sum = points[order[at] ?? 0] ?? 0
    counts[sum] = (counts[sum] ?? 0) + 1
  }
  // Where the next slot of each sum stands: the best sum begins at 0.
  const next = new Uint32Array(most + 1)
  let total = 0
  for (let sum = most; sum > 0; sum -= 1) {
    next[sum] = total
    total += counts[sum] ?? 0
  }
  const end = Math.min(offset + limit, total)
  const slots = new Array<number>(Math.max(0, end - offset)).fill(0)
  let missing = slots.length
  for (let at = 0; at < order.length && missing > 0; at += 1) {
    const slot = order[at] ?? 0
    const sum = points[slot] ?? 0
    if (sum === 0) continue
    const place = next[sum] ?? 0
    next[sum] = place + 1
    if (place < offset || place >= end) continue
    slots[place - offset] = slot
    missing -= 1
  }
  return { slots, total }
}
