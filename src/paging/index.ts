/**
 * Three ways to page a long list: offset and limit (the module registry), page numbers (the box catalog), and keysets
 * with tokens (the job scheduler). Each parses the query parameters and cuts a page, which holds its `rows` and how to
 * get the next page. Pure functions, independent of HTTP and stores.
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
