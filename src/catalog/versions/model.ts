import * as z from 'zod'
import { Provider } from '../providers/model.ts'

export const Version = z.strictObject({
  /** The box it belongs to, by the box's `id`. */
  boxId: z.string(),
  /** The number as written. */
  number: z.string(),
  /** The normalized number: the version's identity within the box, independent of spelling. */
  canonical: z.string(),
  status: z.enum(['unreleased', 'active', 'revoked']),
  /** Markdown. */
  description: z.string(),
  /** In order of creation. */
  providers: z.array(Provider),
  createdAt: z.int(),
  /** When the version, or one of its providers, last changed. */
  updatedAt: z.int(),
})
/**
 * One version of a box, with its providers. Instants are milliseconds since the Unix epoch.
 */
export interface Version extends z.infer<typeof Version> {}
