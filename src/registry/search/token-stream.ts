import { cells } from '../../search/index.ts'

/** Words from this one on share a place: which of them is meant is looked up in the stream. */
const lastWord = 31

/**
 * All words of all texts of all slots, one after another, so that the neighbours of a word are found from its place.
 *
 * @remarks
 * A place is a word of a text of a slot in one small integer: 24 bits of slot, 3 of text, 5 of word. A reader that only wants
 * to know which text it is needs no look at the stream.
 */
export function tokenStream() {
  /** Numbers of words; 0, which is not a word, ends a text. */
  const words = cells()
  let length = 1
  /** The start of each text of each slot. */
  const starts = cells()

  return {
    /** Adds a text; `numberOf` receives the place of each word and returns the word's number. */
    add: (
      slot: number,
      field: number,
      text: readonly string[],
      numberOf: (word: string, place: number) => number,
    ): void => {
      const first = placeOf(slot, field)
      starts.set(textOf(first), length)
      for (let word = 0; word < text.length; word += 1) {
        const place = first + Math.min(word, lastWord)
        words.set(length, numberOf(text[word] ?? '', place))
        length += 1
      }
      words.set(length, 0)
      length += 1
    },
    /** The position in the stream of the word in a place; of the first one, where several share it. */
    positionOf: (place: number): number => starts.get(textOf(place)) + (place & lastWord),
    /** Whether more words follow in the text that share a place. */
    isShared: (place: number): boolean => (place & lastWord) === lastWord,
    /** The number of the word at a position; 0 at the end of a text. */
    wordAt: words.get,
  }
}

/** The first word's place in a text of a slot. */
export const placeOf = (slot: number, field: number): number => ((slot << 8) | (field << 5)) >>> 0

/** Which slot, and which of its texts, a place is in. */
export const slotOf = (place: number): number => place >>> 8
export const fieldOf = (place: number): number => (place >>> 5) & 7

/** The number of the text that a place is in, among all texts of all slots. */
export const textOf = (place: number): number => place >>> 5

/** The word in a place, as one of 32 bits. Words that share a place share the last bit. */
export const bitOf = (place: number): number => 1 << (place & lastWord)

/** The word before that in a place, or after it; none before the first. Either of two where words share the place. */
export const bitBefore = (place: number): number => {
  const word = place & lastWord
  return word === lastWord ? 3 << (lastWord - 1) : bitOf(place) >>> 1
}
export const bitAfter = (place: number): number => 1 << Math.min((place & lastWord) + 1, lastWord)
