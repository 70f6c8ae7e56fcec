import { checkArguments } from '../kernel/check-arguments.ts'
import { checkNumbers } from '../kernel/check-numbers.ts'
import type { RateLimiter } from './service/options.ts'

/** Clients are chosen by those who send requests: beyond this number, the one whose window ends first is forgotten. */
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
  const windows = new Map<string, { count: number; readonly resetAt: number }>()
  return (client, now) => {
    let window = windows.get(client)
    if (!window || window.resetAt <= now) {
      windows.delete(client)
      // Windows are in the order in which they end: the expired ones come first.
      for (const [other, { resetAt }] of windows) {
        if (resetAt > now) break
        windows.delete(other)
      }
      if (windows.size >= mostClients)
        for (const [oldest] of windows.entries()) {
          windows.delete(oldest)
          break
        }
      window = { count: 0, resetAt: now + windowSeconds * 1000 }
      windows.set(client, window)
    }
    window.count += 1
    const remaining = Math.max(0, limit - window.count)
    return { allowed: window.count <= limit, limit, remaining, resetAt: window.resetAt }
  }
}
