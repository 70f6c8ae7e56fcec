/** One bit for each slot. */
export type Bits = Uint32Array

export const bitsFor = (slots: number): Bits => new Uint32Array((slots + 31) >>> 5)

export const hasBit = (bits: Bits, slot: number): boolean =>
  (((bits[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1

export function setBit(bits: Bits, slot: number, on: boolean): void {
  const word = bits[slot >>> 5] ?? 0
  const bit = 1 << (slot & 31)
  bits[slot >>> 5] = on ? word | bit : word & ~bit
}

/** Sets the bits that are set in another bit set. */
export function addBits(bits: Bits, others: Bits): void {
  for (let at = 0; at < bits.length; at += 1) bits[at] = (bits[at] ?? 0) | (others[at] ?? 0)
}

export function countBits(bits: Bits): number {
  let count = 0
  for (let at = 0; at < bits.length; at += 1) count += ones(bits[at] ?? 0)
  return count
}

/** The number of set bits in a word. */
export function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** The first slot whose bit is set; -1 if there is none. */
export function firstBit(bits: Bits): number {
  for (let at = 0; at < bits.length; at += 1) {
    const word = bits[at] ?? 0
    if (word !== 0) return at * 32 + lowest(word)
  }
  return -1
}

/** The index of the lowest set bit. */
export const lowest = (word: number): number => 31 - Math.clz32(word & -word)

export function forEachBit(bits: Bits, run: (slot: number) => void): void {
  for (let at = 0; at < bits.length; at += 1)
    for (let word = bits[at] ?? 0; word !== 0; word &= word - 1) run(at * 32 + lowest(word))
}
