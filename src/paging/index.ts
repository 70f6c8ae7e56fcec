/**
 * Three ways to give a long list in pieces: offset and limit (the module registry), page numbers (the box
 * catalog), and keysets with tokens (the job scheduler). Pure functions; nothing here knows HTTP or a store.
 *
 * @packageDocumentation
 */
export type { Refusal, Refused } from '../kernel/index.ts'
export {
  compareKeys,
  compareText,
  type KeysetKey,
  type KeysetPage,
  type KeysetRequest,
  keysetPage,
} from './keyset.ts'
export {
  type OffsetLimits,
  type OffsetMeta,
  type OffsetWindow,
  offsetMeta,
  offsetPage,
  offsetUrl,
  readOffset,
} from './offset.ts'
export { numberedPage, type PageLimits, type PageRequest, readPage } from './page.ts'
export { type KeyShape, readToken, writeToken } from './token.ts'
