import { type NextHit, separators, termsOf as termsBetweenSpaces, wordsOf } from '../../search/index.ts'

/** The terms of a query; one without letters or digits says nothing here. */
export const termsOf = (query: string): readonly string[] =>
  termsBetweenSpaces(query).filter((term) => wordsOf(term).length > 0)

/** Words of one term beyond these say nothing more. */
const maxWords = 16

/**
 * Finds a term in joined texts: its words, with any separators between them. The hit is from `at` to `endOf(at)`.
 *
 * @param wordFinder - finds a single word
 */
export function termFinder(
  term: string,
  wordFinder: (word: string) => NextHit,
): { readonly next: NextHit; readonly endOf: (at: number) => number } {
  const words = wordsOf(term).slice(0, maxWords)
  const [first = ''] = words
  if (words.length === 1) return { next: wordFinder(first), endOf: (at) => at + first.length }
  // Words have no characters with a meaning in a pattern, and none that separate: it never backtracks.
  const phrase = new RegExp(words.join(separators), 'gu')
  let length = 0
  return {
    next: (joined, from) => {
      phrase.lastIndex = from
      const found = phrase.exec(joined)
      length = found?.[0].length ?? 0
      return found?.index ?? -1
    },
    endOf: (at) => at + length,
  }
}
