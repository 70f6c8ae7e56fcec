/** Numbers strings from 1 on, so that a column of many equal strings is compared as numbers. */
export function numbering() {
  const numbers = new Map<string, number>()
  return {
    /** The number of a string, which gets one if it has none. */
    assign: (text: string): number => {
      const number = numbers.get(text) ?? numbers.size + 1
      numbers.set(text, number)
      return number
    },
    /** The number of a string; 0 if it has none. */
    find: (text: string): number => numbers.get(text) ?? 0,
    /** All strings, in the order of their numbers. */
    strings: (): Iterable<string> => numbers.keys(),
  }
}
