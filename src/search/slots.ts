/** Gives each key a slot, a small number; the slot of a removed key is used again. */
export function slots() {
  const slotOf = new Map<string, number>()
  const free: number[] = []
  let count = 0

  return {
    /** The slot of a key; `undefined` if it has none. */
    of: (key: string): number | undefined => slotOf.get(key),
    /** Gives a key that has none a slot. */
    take: (key: string): number => {
      const slot = free.pop() ?? count++
      slotOf.set(key, slot)
      return slot
    },
    /** Frees the slot of a key. */
    release: (key: string): void => {
      const slot = slotOf.get(key)
      if (slot !== undefined && slotOf.delete(key)) free.push(slot)
    },
    /** How many keys have a slot. */
    size: (): number => slotOf.size,
    /** How many slots there are, free ones included. */
    count: (): number => count,
  }
}
