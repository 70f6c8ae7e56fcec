/** Slots in an order: all at once, or two compared. */
interface Order {
  readonly read: () => Uint32Array
  readonly compare: (a: number, b: number) => number
}

/**
 * Returns the slots at `offset` to `offset + limit` when all that have points are ordered by points, and equal points by
 * `order`, or against it if `descending`. Passes over typed arrays; only a few hits are sorted.
 *
 * @param points - of each slot, at most `most`; 0 for every slot that is not in the order
 * @param fewHits - up to here, sorting hits is quicker than looking for them along the order
 */
export function rankedPage(
  order: Order,
  points: Uint16Array,
  most: number,
  {
    offset,
    limit,
    descending = false,
    fewHits = 256,
  }: {
    readonly offset: number
    readonly limit: number
    readonly descending?: boolean | undefined
    readonly fewHits?: number | undefined
  },
): { readonly slots: readonly number[]; readonly total: number } {
  const counts = new Uint32Array(most + 1)
  let total = 0
  for (let slot = 0; slot < points.length; slot += 1) {
    const sum = points[slot] ?? 0
    if (sum === 0) continue
    counts[sum] = (counts[sum] ?? 0) + 1
    total += 1
  }
  const end = Math.min(offset + limit, total)
  if (end <= offset) return { slots: [], total }
  if (total <= fewHits) {
    const hits: number[] = []
    for (let slot = 0; hits.length < total; slot += 1) if (points[slot] !== 0) hits.push(slot)
    const sign = descending ? -1 : 1
    hits.sort((a, b) => (points[b] ?? 0) - (points[a] ?? 0) || sign * order.compare(a, b))
    return { slots: hits.slice(offset, end), total }
  }
  // The next place of each sum: the best sum begins at 0.
  const next = new Uint32Array(most + 1)
  for (let sum = most; sum > 1; sum -= 1) next[sum - 1] = (next[sum] ?? 0) + (counts[sum] ?? 0)
  const slots = new Array<number>(end - offset).fill(0)
  const all = order.read()
  let missing = slots.length
  for (let at = 0; at < all.length && missing > 0; at += 1) {
    const slot = all[descending ? all.length - 1 - at : at] ?? 0
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
