import * as z from 'zod'

export const Role = z.enum(['reader', 'publisher', 'admin'])
/**
 * What a user may do with the boxes of an account, or with one box: see private ones, publish versions, or everything.
 */
export type Role = z.infer<typeof Role>
