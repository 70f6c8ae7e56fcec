import { type Piece, wordsOf } from '../../search/index.ts'

/**
 * The words that a term with signs in it (anything but letters and digits) asks of a text, each held as the term holds
 * it: where the term begins or ends within a word, that word may go on. None when the term is signs only.
 */
export function piecesOf(term: string): readonly Piece[] {
  const words = wordsOf(term)
  const last = words.length - 1
  return words.map((text, at): Piece => {
    if (at === 0 && term.startsWith(text)) return { text, where: text === term ? 'anywhere' : 'atEnd' }
    return { text, where: at === last && term.endsWith(text) ? 'atStart' : 'whole' }
  })
}
