/**
 * Building blocks of a search over names and short texts: folding, substring search in joined texts, and precomputed
 * orders for paging.
 */
export { joinedTexts, type NextHit, separators } from './joined-texts.ts'
export { numbering } from './numbering.ts'
export { rankedPage } from './ranked-page.ts'
export { ranking } from './ranking.ts'
export { slots } from './slots.ts'
export { windowOf } from './window.ts'
export { foldName, foldText, isInWord, termsOf, wordsOf } from './words.ts'
