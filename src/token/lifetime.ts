import type { Instant } from '../kernel/index.ts'

/** Ten years: a longer TTL is probably in another unit. */
const longestTtlMs = 10 * 366 * 86_400_000

/** Whether a token with this end is over. */
export const isExpired = (
  { expiresAt }: { readonly expiresAt?: Instant | undefined },
  now: Instant,
): boolean => expiresAt !== undefined && expiresAt <= now

/** Returns why a token may not live so long. */
export const ttlProblem = (ttlMs: number | undefined): string | undefined =>
  ttlMs === undefined || (ttlMs > 0 && ttlMs <= longestTtlMs)
    ? undefined
    : 'the TTL of a token must be positive and at most ten years'

/** When a new token expires; never without a TTL. */
export const endAfter = (ttlMs: number | undefined, now: Instant): { readonly expiresAt?: Instant } =>
  ttlMs === undefined ? {} : { expiresAt: now + Math.ceil(ttlMs) }

/** An id for a token that cannot be shown: a part of its digest does not reveal the token. */
export const idOfDigest = (digest: string): string => digest.slice(0, 16)
