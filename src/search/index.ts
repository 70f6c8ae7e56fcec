/**
 * What a search over names and short texts is made of: folding, a dictionary that finds words by any part of them,
 * columns for terms of one character, and orders kept ready for paging.
 */
export { characters } from './characters.ts'
export { type Dictionary, dictionary, type Holding, holdsPiece, type Piece } from './dictionary.ts'
export { needsRebuild } from './needs-rebuild.ts'
export { ranking } from './ranking.ts'
export { windowOf } from './window.ts'
export { foldName, foldText, termsOf, wordsOf } from './words.ts'
