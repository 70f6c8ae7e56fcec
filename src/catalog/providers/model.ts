import * as z from 'zod'
import { architectures, checksumTypes } from './vocabulary.ts'

export const Checksum = z.strictObject({
  type: z.enum(checksumTypes),
  /** Lower-case hexadecimal. */
  hex: z.string(),
})
/**
 * The declared checksum of a box image.
 */
export interface Checksum extends z.infer<typeof Checksum> {}

export const Asset = z.strictObject({
  /** The id of the blob in the blob store. */
  blob: z.string(),
  /** Its size in bytes. */
  size: z.int().min(0),
  /** The computed digest, in lower-case hexadecimal; missing for images stored by versions that did not compute it. */
  sha256: z.string().optional(),
})
/**
 * A box image that was uploaded.
 */
export interface Asset extends z.infer<typeof Asset> {}

export const Provider = z.strictObject({
  /** The stable id of the provider, which uploads refer to; survives renaming. */
  id: z.string(),
  name: z.string(),
  architecture: z.enum(architectures),
  /** Whether this is the default architecture of its name: exactly one of each name is. */
  defaultArchitecture: z.boolean(),
  /** The URL of the image if it is hosted elsewhere; null if it is, or will be, uploaded. */
  url: z.string().nullable(),
  checksum: Checksum.nullable(),
  /** The checksum of an image that is to replace the uploaded one; omitted once it has arrived. */
  announced: Checksum.optional(),
  /** The uploaded image; null before the upload, and if the image is hosted elsewhere. */
  asset: Asset.nullable(),
  createdAt: z.int(),
  updatedAt: z.int(),
})
/**
 * The image of a version for one virtual-machine provider and one architecture.
 */
export interface Provider extends z.infer<typeof Provider> {}
