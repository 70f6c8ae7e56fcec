import * as z from 'zod'
import { parseTtlSeconds } from '../kernel/duration.ts'

/** A TTL on the wire: seconds, days (`30d`) or a duration (`12h`). */
export const Ttl = z
  .union([z.string(), z.number()])
  .refine((ttl) => parseTtlSeconds(ttl) !== undefined, 'not a duration: write it as 12h, 30d or seconds')

/** A TTL in milliseconds. */
export const ttlMsOf = (ttl: z.infer<typeof Ttl> | undefined): number | undefined =>
  ttl === undefined ? undefined : (parseTtlSeconds(ttl) ?? 0) * 1000

/** An instant on the wire; null if there is none. */
export const timeOrNull = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString()
