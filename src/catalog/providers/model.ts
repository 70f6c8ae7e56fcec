import * as z from 'zod'
import { architectures, checksumTypes } from './vocabulary.ts'

export const Checksum = z.strictObject({
  type: z.enum(checksumTypes),
  /** Lower-case hexadecimal. */
  hex: z.string(),
})
/**
 * What a box image's bytes must add up to.
 *
 * @public
 */
export interface Checksum extends z.infer<typeof Checksum> {}

export const Asset = z.strictObject({
  /** Where the bytes are in the blob store. */
  blob: z.string(),
  /** How many bytes there are. */
  size: z.int().min(0),
  /** What the bytes add up to, in lower-case hexadecimal; left out of images stored by versions that did not look. */
  sha256: z.string().optional(),
})
/**
 * A box image that was uploaded.
 *
 * @public
 */
export interface Asset extends z.infer<typeof Asset> {}

export const Provider = z.strictObject({
  /** Survives renaming; what an upload is for. */
  id: z.string(),
  name: z.string(),
  architecture: z.enum(architectures),
  /** Whether this is the one to take when no architecture is asked for: exactly one of each name is. */
  defaultArchitecture: z.boolean(),
  /** Where the image is when it is hosted elsewhere; null when it is, or will be, uploaded. */
  url: z.string().nullable(),
  checksum: Checksum.nullable(),
  /** The uploaded image; null before the upload, and where the image is hosted elsewhere. */
  asset: Asset.nullable(),
  createdAt: z.int(),
  updatedAt: z.int(),
})
/**
 * The image of a version for one virtual-machine provider and one architecture.
 *
 * @public
 */
export interface Provider extends z.infer<typeof Provider> {}
