import * as z from 'zod'
import { Deprecation } from '../versions/model.ts'

/** The existence of a version, and its publication time. */
export const PublishedVersion = z.object({
  number: z.string(),
  /** When it was published, in whole microseconds since the Unix epoch. */
  publishedMicros: z.int(),
  /** The approximate number of characters in version lists; missing if it was stored before this was counted. */
  characters: z.int().optional(),
  /** The id of its archive's bytes, if this registry stores them. */
  blob: z.string().optional(),
  /** The bytes of its archive. */
  size: z.int().optional(),
  deprecation: Deprecation.optional(),
})
/**
 * The existence of a version, and its publication time.
 */
export interface PublishedVersion extends z.infer<typeof PublishedVersion> {}

/** A module: its description and its versions. */
export const Module = z.object({
  /** Its identity; survives renaming, and a module published later under an old name gets another. */
  id: z.string(),
  namespace: z.string(),
  name: z.string(),
  provider: z.string(),
  /** The maintainer. */
  owner: z.string(),
  description: z.string(),
  /** The URL of its source code for readers; clients do not download from it. */
  source: z.string(),
  /** Whether it is published by a partner of the registry. */
  verified: z.boolean(),
  /** Words to find it by; omitted if there are none. */
  labels: z.array(z.string()).optional(),
  /** Where its description is from, if no publisher gave one. */
  descriptionFrom: z.literal('readme').optional(),
  /** The registry that its versions are copied from when they are asked for; omitted if it was published here. */
  pulledFrom: z.string().optional(),
  /** Its versions, oldest first, each by its canonical number. */
  versions: z.array(PublishedVersion),
})
/**
 * A module: its description and its versions.
 */
export interface Module extends z.infer<typeof Module> {}

/** A former address of a module. */
export const Moved = z.object({
  namespace: z.string(),
  name: z.string(),
  provider: z.string(),
  /** The module's identity, with which it may return to this address. */
  moduleId: z.string(),
  /** The address it moved to. */
  to: z.object({ namespace: z.string(), name: z.string(), provider: z.string() }),
})
/**
 * A former address of a module.
 */
export interface Moved extends z.infer<typeof Moved> {}
