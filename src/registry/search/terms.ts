import { type Piece, termsOf as termsBetweenBlanks, wordsOf } from '../../search/index.ts'

/** The terms of a query; one without letters or digits says nothing here. */
export const termsOf = (query: string): readonly string[] =>
  termsBetweenBlanks(query).filter((term) => wordsOf(term).length > 0)

/** Words of one term beyond these say nothing more. */
const maxPieces = 16

/**
 * What a term asks of the words of a text: to hold it, or, where it has separators, to stand one after another, the
 * first one ending and the last one beginning as the term does.
 */
export function piecesOf(term: string): readonly Piece[] {
  const words = wordsOf(term).slice(0, maxPieces)
  const last = words.length - 1
  if (last === 0) return words.map((text) => ({ text, where: 'anywhere' }))
  return words.map((text, at) => ({ text, where: at === 0 ? 'atEnd' : at === last ? 'atStart' : 'whole' }))
}
