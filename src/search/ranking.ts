/** From here on, sorting everything is quicker than moving one slot after another. */
const manyPending = 128
/** So many are sorted, or merged, in one step of `settling`. */
const sortedAtOnce = 512
const mergedAtOnce = 2048

/**
 * Slots in the order of their keys, stored as one run of numbers: any page is a slice. The next reader places new
 * slots; slots of equal rank are in the order of their numbers.
 *
 * @param keyOf - the sort key of a slot; called only for slots in the ranking
 * @param compare - the order of keys, ascending
 */
export function ranking<Key>(keyOf: (slot: number) => Key, compare: (a: Key, b: Key) => number) {
  let run = new Uint32Array(64)
  let size = 0
  const pending = new Set<number>()

  /** The first place whose slot does not come before the given one. */
  const placeOf = (slot: number): number => {
    const key = keyOf(slot)
    let low = 0
    let high = size
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = run[middle] ?? 0
      if ((compare(keyOf(other), key) || other - slot) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
  const grow = (needed: number): void => {
    if (needed <= run.length) return
    const larger = new Uint32Array(needed * 2)
    larger.set(run.subarray(0, size))
    run = larger
  }
  /** Sorts with each key made once. */
  const sortAll = (): void => {
    const all = [...run.subarray(0, size), ...pending].map((slot) => ({ slot, key: keyOf(slot) }))
    all.sort((a, b) => compare(a.key, b.key) || a.slot - b.slot)
    size = all.length
    for (const [place, { slot }] of all.entries()) run[place] = slot
  }
  /** Sorts as `sortAll` does, in steps. */
  function* sortInSteps(): Generator<void, void> {
    const all = [...run.subarray(0, size), ...pending]
    const keyed = (slot: number) => ({ slot, key: keyOf(slot) })
    type Keyed = ReturnType<typeof keyed>
    const order = (a: Keyed, b: Keyed) => compare(a.key, b.key) || a.slot - b.slot
    let runs: Keyed[][] = []
    for (let at = 0; at < all.length; at += sortedAtOnce) {
      runs.push(
        all
          .slice(at, at + sortedAtOnce)
          .map(keyed)
          .sort(order),
      )
      yield
    }
    while (runs.length > 1) {
      const merged: Keyed[][] = []
      for (let at = 0; at < runs.length; at += 2) {
        const [left = [], right = []] = [runs[at], runs[at + 1]]
        const both: Keyed[] = []
        let [l, r] = [0, 0]
        while (l < left.length || r < right.length) {
          const [a, b] = [left[l], right[r]]
          const isLeft = b === undefined || (a !== undefined && order(a, b) < 0)
          const next = isLeft ? a : b
          if (next) both.push(next)
          if (isLeft) l += 1
          else r += 1
          if (both.length % mergedAtOnce === 0) yield
        }
        merged.push(both)
      }
      runs = merged
    }
    const sorted = runs[0] ?? []
    size = sorted.length
    for (let place = 0; place < sorted.length; place += 1) run[place] = sorted[place]?.slot ?? 0
  }
  const settle = (): void => {
    if (pending.size === 0) return
    grow(size + pending.size)
    if (pending.size >= manyPending) sortAll()
    else
      for (const slot of pending) {
        const place = placeOf(slot)
        run.copyWithin(place + 1, place, size)
        run[place] = slot
        size += 1
      }
    pending.clear()
  }

  return {
    /** Adds a slot; its key is compared at the next read. */
    add: (slot: number): void => void pending.add(slot),
    /** Removes a slot; its key must still be the one it was added with. */
    remove: (slot: number): void => {
      if (pending.delete(slot)) return
      const place = placeOf(slot)
      if (place >= size || run[place] !== slot) throw new Error(`slot ${slot} is not where its rank says`)
      run.copyWithin(place, place + 1, size)
      size -= 1
    },
    /** Below 0 when the first of two slots comes first. */
    compare: (a: number, b: number): number => compare(keyOf(a), keyOf(b)) || a - b,
    /** Places new slots in steps, so that the next reader need not. Do not change the ranking meanwhile. */
    settling: function* (): Generator<void, void> {
      grow(size + pending.size)
      if (pending.size >= manyPending) {
        yield* sortInSteps()
        pending.clear()
      } else settle()
    },
    /** All slots, ascending: a view, good until the next change. */
    read: (): Uint32Array => {
      settle()
      return run.subarray(0, size)
    },
    /** The place a slot that is not in the ranking would have. */
    place: (slot: number): number => {
      settle()
      return placeOf(slot)
    },
  }
}
