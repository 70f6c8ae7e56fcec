/** A binary heap: returns its elements in order, each in logarithmic time. */
export class Heap<Item> {
  readonly #items: Item[] = []
  readonly #isBefore: (a: Item, b: Item) => boolean

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore
  }

  first(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = items[above]
      if (parent === undefined || !this.#isBefore(item, parent)) break
      items[at] = parent
      at = above
    }
    items[at] = item
  }

  pop(): Item | undefined {
    const items = this.#items
    const [first] = items
    const last = items.pop()
    if (last === undefined || items.length === 0) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      let child = items[below]
      if (child === undefined) break
      const right = items[below + 1]
      if (right !== undefined && this.#isBefore(right, child)) {
        child = right
        below += 1
      }
      if (!this.#isBefore(child, last)) break
      items[at] = child
      at = below
    }
    items[at] = last
    return first
  }
}
