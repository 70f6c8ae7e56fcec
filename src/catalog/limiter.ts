import { checkArguments } from '../kernel/check-arguments.ts'
import { checkNumbers } from '../kernel/check-numbers.ts'
import { requestWindows } from '../kernel/request-windows.ts'
import type { RateLimiter } from './service/options.ts'

/** How many clients are counted at once. */
const mostClients = 100_000

/**
 * Counts each client's requests in windows of fixed length, of 100,000 clients at once.
 *
 * @example
 * ```ts
 * import { fixedWindow } from 'plinth/catalog'
 *
 * const limiter = fixedWindow({ limit: 2, windowSeconds: 60 })
 * await limiter('10.0.0.1', 0) // { allowed: true, limit: 2, remaining: 1, resetAt: 60_000 }
 * ```
 */
export function fixedWindow(options: {
  /** Requests per window. */
  readonly limit: number
  readonly windowSeconds: number
}): RateLimiter {
  checkArguments('options', options)
  const { limit, windowSeconds } = options
  checkNumbers({ least: 0, unit: 'requests' }, { limit })
  checkNumbers({ least: 1, unit: 'seconds' }, { windowSeconds })
  const windowMs = windowSeconds * 1000
  const count = requestWindows(mostClients)
  return (client, now) => count(client, now, { limit, windowMs })
}
