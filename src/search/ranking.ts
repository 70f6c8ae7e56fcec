/** From here on, sorting everything is quicker than moving one slot after another. */
const manyPending = 128
/** So many are sorted, or moved, in one step of `settling`. */
const sortedAtOnce = 512
const movedAtOnce = 2048

/**
 * Sorts slots by their keys, in steps: runs of few slots, which are merged. What is moved are places in two typed arrays,
 * so that no step copies a long list or leaves one for the collector.
 */
function* sortedInSteps<Key>(
  slots: Uint32Array<ArrayBuffer>,
  keyOf: (slot: number) => Key,
  compare: (a: Key, b: Key) => number,
): Generator<void, Uint32Array<ArrayBuffer>> {
  const total = slots.length
  const keys: Key[] = []
  let places = new Uint32Array(total)
  let merged = new Uint32Array(total)
  for (let place = 0; place < total; place += 1) {
    keys.push(keyOf(slots[place] ?? 0))
    places[place] = place
    if (place % movedAtOnce === 0) yield
  }
  const order = (a: number, b: number) =>
    compare(keys[a] as Key, keys[b] as Key) || (slots[a] ?? 0) - (slots[b] ?? 0)
  for (let at = 0; at < total; at += sortedAtOnce) {
    places.subarray(at, at + sortedAtOnce).sort(order)
    yield
  }
  for (let length = sortedAtOnce; length < total; length *= 2) {
    for (let at = 0; at < total; at += 2 * length) {
      const [middle, end] = [Math.min(at + length, total), Math.min(at + 2 * length, total)]
      let [left, right] = [at, middle]
      for (let to = at; to < end; to += 1) {
        const [a, b] = [places[left] ?? 0, places[right] ?? 0]
        const isLeft = right >= end || (left < middle && order(a, b) < 0)
        merged[to] = isLeft ? a : b
        if (isLeft) left += 1
        else right += 1
        if (to % movedAtOnce === 0) yield
      }
    }
    ;[places, merged] = [merged, places]
  }
  for (let place = 0; place < total; place += 1) {
    merged[place] = slots[places[place] ?? 0] ?? 0
    if (place % movedAtOnce === 0) yield
  }
  return merged
}

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
  let pending = new Set<number>()

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
    const slots = new Uint32Array(size + pending.size)
    slots.set(run.subarray(0, size))
    let filled = size
    for (const slot of pending) {
      slots[filled] = slot
      filled += 1
      if (filled % movedAtOnce === 0) yield
    }
    run = yield* sortedInSteps(slots, keyOf, compare)
    size = slots.length
    pending = new Set()
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
      if (pending.size >= manyPending) yield* sortInSteps()
      else settle()
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
