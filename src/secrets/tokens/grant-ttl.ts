import { type Refused, refuse } from '../../kernel/index.ts'

/**
 * The inputs of a TTL. All are whole seconds; 0 means "not set", which is the default of all but the mount's.
 */
export interface TtlRequest {
  /** The requested TTL. */
  readonly incrementSeconds?: number | undefined
  /** The default of the token, role or auth method if the caller requests none. */
  readonly backendTtlSeconds?: number | undefined
  /** The maximum of the token, role or auth method. */
  readonly backendMaxTtlSeconds?: number | undefined
  readonly periodSeconds?: number | undefined
  readonly explicitMaxTtlSeconds?: number | undefined
  /** The mount's effective default; 32 days by default. */
  readonly defaultTtlSeconds?: number | undefined
  /** The maximum of the mount; 32 days by default. */
  readonly maxTtlSeconds?: number | undefined
  /** The start of the token's life, in milliseconds; now by default. */
  readonly startedAt?: number | undefined
}

/** The limits of mounts without settings. */
const systemTtlSeconds = 768 * 3600

/** A granted TTL, and warnings about its limits. */
export interface GrantedTtl {
  readonly ttlSeconds: number
  readonly warnings: readonly string[]
}

/**
 * Decides the TTL of everything: at creation, login, renewal and for leases.
 *
 * @remarks
 * A period is granted in full at each renewal, independent of the requested increment and the token's age; only an
 * explicit maximum ends a periodic life. Everything else ends at the smallest maximum, counted from the start.
 *
 * @returns seconds and warnings, or `past_max_ttl` when nothing is left to grant
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { grantTtl } from 'plinth/tokens'
 *
 * const hour = 3600
 * const asked = { incrementSeconds: 5 * hour, backendMaxTtlSeconds: 4 * hour }
 * const { ttlSeconds, warnings } = unwrap(grantTtl(asked, 0))
 * ttlSeconds // 14_400
 * warnings.length // 1
 * ```
 */
export function grantTtl(
  request: TtlRequest,
  now: number,
): { readonly ok: true; readonly value: GrantedTtl } | Refused<'past_max_ttl'> {
  const {
    incrementSeconds = 0,
    backendTtlSeconds = 0,
    backendMaxTtlSeconds = 0,
    periodSeconds = 0,
    explicitMaxTtlSeconds = 0,
    defaultTtlSeconds = systemTtlSeconds,
    maxTtlSeconds = systemTtlSeconds,
    startedAt = now,
  } = request
  const warnings: string[] = []
  const cap = smallest(maxTtlSeconds, backendMaxTtlSeconds, explicitMaxTtlSeconds)
  const periodic = periodSeconds > 0
  let ttl: number
  if (periodic) {
    ttl = Math.min(periodSeconds, cap)
    if (ttl < periodSeconds) {
      warnings.push(
        `period of "${shortDuration(periodSeconds)}" exceeded the effective max_ttl of "${shortDuration(cap)}"; period value is capped accordingly`,
      )
    }
  } else {
    ttl = [incrementSeconds, backendTtlSeconds].find((seconds) => seconds > 0) ?? defaultTtlSeconds
  }
  const life = periodic ? explicitMaxTtlSeconds : cap
  if (life > 0) {
    const left = Math.floor((startedAt + life * 1000 - now) / 1000)
    if (left <= 0) return refuse('past_max_ttl', 'past the max TTL, cannot renew')
    if (ttl > left) {
      warnings.push(
        `TTL of "${shortDuration(ttl)}" exceeded the effective max_ttl of "${shortDuration(left)}"; TTL value is capped accordingly`,
      )
      ttl = left
    }
  }
  return { ok: true, value: { ttlSeconds: ttl, warnings } }
}

/** The smallest of the limits that are set; 0 if none is. */
export const smallest = (...limits: readonly number[]): number =>
  limits.filter((limit) => limit > 0).sort((a, b) => a - b)[0] ?? 0

/** Formats whole seconds without zero units: `768h`, `1h30m`. */
const shortDuration = (seconds: number): string => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60]
  const text = (hours ? `${hours}h` : '') + (minutes || (hours && rest) ? `${minutes}m` : '')
  return rest || text === '' ? `${text}${rest}s` : text
}
