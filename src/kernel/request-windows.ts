/** A limit of requests in a window, which begins with the first request after the one before. */
export interface WindowLimit {
  /** Requests per window. */
  readonly limit: number
  readonly windowMs: number
  /** How long a client that exceeds the limit is refused, in milliseconds; at least until its window ends. */
  readonly blockMs?: number | undefined
}

/**
 * Counts the requests of clients in windows of fixed length. Clients are chosen by those who send requests: beyond
 * `mostClients`, those whose windows began first are forgotten.
 */
export function requestWindows(mostClients: number) {
  const windows = new Map<string, { count: number; resetAt: number }>()
  return (client: string, now: number, { limit, windowMs, blockMs = 0 }: WindowLimit) => {
    let window = windows.get(client)
    if (!window || window.resetAt <= now) {
      windows.delete(client)
      // Windows are in the order in which they began.
      for (const [other, { resetAt }] of windows) {
        if (resetAt > now && windows.size < mostClients) break
        windows.delete(other)
      }
      window = { count: 0, resetAt: now + windowMs }
      windows.set(client, window)
    }
    window.count += 1
    if (window.count === limit + 1) window.resetAt = Math.max(window.resetAt, now + blockMs)
    const remaining = Math.max(0, limit - window.count)
    return { allowed: window.count <= limit, limit, remaining, resetAt: window.resetAt }
  }
}
