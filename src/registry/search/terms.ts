import { type Piece, termsOf as termsBetweenBlanks, wordsOf } from '../../search/index.ts'

/** The terms of a query; one without letters or digits says nothing here. */
export const termsOf = (query: string): readonly string[] =>
  termsBetweenBlanks(query).filter((term) => wordsOf(term).length > 0)

/** Words of one term beyond these say nothing more. */
const maxPieces = 16

/**
 * The condition of a term on the words of a text: a word contains it, or, if it has separators, consecutive words match
 * its pieces, where the first word ends and the last word begins with its piece.
 */
export function piecesOf(term: string): readonly Piece[] {
  const words = wordsOf(term).slice(0, maxPieces)
  const last = words.length - 1
  if (last === 0) return words.map((text) => ({ text, where: 'anywhere' }))
  return words.map((text, at) => ({ text, where: at === 0 ? 'atEnd' : at === last ? 'atStart' : 'whole' }))
}
