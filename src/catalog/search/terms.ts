import { type Piece, wordsOf } from '../../search/index.ts'

/**
 * The words of a term with signs (anything but letters and digits), each with its relation to a word of the text: at
 * the beginning or end of the term, the word of the text may be longer. Empty if the term consists of signs only.
 */
export function piecesOf(term: string): readonly Piece[] {
  const words = wordsOf(term)
  const last = words.length - 1
  return words.map((text, at): Piece => {
    if (at === 0 && term.startsWith(text)) return { text, where: text === term ? 'anywhere' : 'atEnd' }
    return { text, where: at === last && term.endsWith(text) ? 'atStart' : 'whole' }
  })
}
