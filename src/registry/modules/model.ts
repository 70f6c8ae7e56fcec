import * as z from 'zod'
import { Deprecation } from '../versions/model.ts'

/** That a version exists, and since when. */
export const PublishedVersion = z.object({
  number: z.string(),
  /** When it was published, in whole microseconds since the Unix epoch. */
  publishedMicros: z.int(),
  /** The approximate number of characters in version lists; missing if it was stored before this was counted. */
  characters: z.int().optional(),
  /** The id of its archive's bytes, if this registry stores them. */
  blob: z.string().optional(),
  deprecation: Deprecation.optional(),
})
/**
 * That a version exists, and since when.
 *
 * @public
 */
export interface PublishedVersion extends z.infer<typeof PublishedVersion> {}

/** A module: its description and its versions. */
export const Module = z.object({
  /** Its identity; survives renaming, and a module published again under an old name has another. */
  id: z.string(),
  namespace: z.string(),
  name: z.string(),
  provider: z.string(),
  /** The maintainer. */
  owner: z.string(),
  description: z.string(),
  /** Where people read its code; not where clients fetch it. */
  source: z.string(),
  /** Whether it comes from a partner the registry vouches for. */
  verified: z.boolean(),
  /** Its versions, oldest first, each by its canonical number. */
  versions: z.array(PublishedVersion),
})
/**
 * A module: its description and its versions.
 *
 * @public
 */
export interface Module extends z.infer<typeof Module> {}

/** A former address of a module. */
export const Moved = z.object({
  namespace: z.string(),
  name: z.string(),
  provider: z.string(),
  /** The module's identity, by which it may come back to this address. */
  moduleId: z.string(),
  /** Where it went. */
  to: z.object({ namespace: z.string(), name: z.string(), provider: z.string() }),
})
/**
 * A former address of a module.
 *
 * @public
 */
export interface Moved extends z.infer<typeof Moved> {}
