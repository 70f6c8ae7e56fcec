import * as z from 'zod'

export const Box = z.strictObject({
  /** Survives renaming; its versions refer to it. */
  id: z.string(),
  /** The user or organization that owns it, as that account spells its name. */
  username: z.string(),
  name: z.string(),
  shortDescription: z.string(),
  /** Markdown. */
  description: z.string(),
  private: z.boolean(),
  createdAt: z.int(),
  /** When the box's own fields last changed; its versions have their own. */
  updatedAt: z.int(),
})
/**
 * A box without its versions. Instants are milliseconds since the Unix epoch.
 */
export interface Box extends z.infer<typeof Box> {}
