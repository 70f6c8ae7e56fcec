/**
 * Three ways to give a long list in pieces: offset and limit (the module registry), page numbers (the box
 * catalog), and keysets with tokens (the job scheduler). Each reads what a query asked for and cuts a page, which holds
 * its `rows` and what leads on from there. Pure functions; nothing here knows HTTP or a store.
 *
 * @packageDocumentation
 */
export { compareText } from '../kernel/compare-text.ts'
export type { Refusal, Refused } from '../kernel/index.ts'
export {
  compareKeysetKeys,
  type KeysetKey,
  type KeysetPage,
  type KeysetRequest,
  keysetPage,
} from './keyset.ts'
export type { PageLimits } from './limits.ts'
export {
  type OffsetMeta,
  type OffsetPage,
  type OffsetWindow,
  offsetMeta,
  offsetPage,
  offsetUrl,
  readOffset,
} from './offset.ts'
export { type NumberedPage, numberedPage, type PageRequest, readPage } from './page.ts'
export { formatPageToken, type KeyShape, parsePageToken } from './token.ts'
