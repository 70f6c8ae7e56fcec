/**
 * A column of strings by slot, each with a number from 1 on, so that many equal strings are compared as numbers. The
 * number of a string that no slot has any more is used again: the column does not grow with strings of the past.
 */
export function numbering() {
  const numbers = new Map<string, number>()
  /** By number, the strings and how many slots have each. */
  const strings: (string | undefined)[] = [undefined]
  const uses: number[] = [0]
  const free: number[] = []
  const bySlot: number[] = []

  const assign = (text: string): number => {
    const number = numbers.get(text) ?? free.pop() ?? strings.length
    numbers.set(text, number)
    strings[number] = text
    uses[number] = (uses[number] ?? 0) + 1
    return number
  }
  const release = (number: number): void => {
    const left = (uses[number] ?? 0) - 1
    uses[number] = left
    const text = strings[number]
    if (left > 0 || text === undefined) return
    numbers.delete(text)
    strings[number] = undefined
    free.push(number)
  }

  return {
    /** Sets the string of a slot; `undefined` for none. */
    put: (slot: number, text: string | undefined): void => {
      const before = bySlot[slot] ?? 0
      bySlot[slot] = text === undefined ? 0 : assign(text)
      if (before !== 0) release(before)
    },
    /** The numbers by slot; 0 for none. */
    bySlot: bySlot as readonly number[],
    /** By number, 1 for each of some strings; for every string if `undefined`, but never for none. */
    among: (texts: readonly string[] | undefined): Uint8Array => {
      const isAmong = new Uint8Array(strings.length)
      if (!texts) isAmong.fill(1)
      else for (const text of texts) isAmong[numbers.get(text) ?? 0] = 1
      isAmong[0] = 0
      return isAmong
    },
    /** Whether the strings pass a test, by their numbers. */
    passing: (test: (text: string) => boolean): readonly boolean[] =>
      strings.map((text) => text !== undefined && test(text)),
  }
}
