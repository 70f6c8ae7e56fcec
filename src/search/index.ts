/**
 * Building blocks of a search over names and short texts: folding, a dictionary for substring search in words, columns
 * for terms of one character, and precomputed orders for paging.
 */
export { cells } from './cells.ts'
export { characters } from './characters.ts'
export { type Dictionary, dictionary, type Holding, holdsPiece, type Piece } from './dictionary.ts'
export { grown } from './grown.ts'
export { needsRebuild } from './needs-rebuild.ts'
export { postingsByText } from './posting-lists.ts'
export { ranking } from './ranking.ts'
export { windowOf } from './window.ts'
export { foldName, foldText, termsOf, wordsOf } from './words.ts'
