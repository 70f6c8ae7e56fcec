import { formatDuration, type Refused, refuse } from '../../kernel/index.ts'

/**
 * What bounds and shapes a time-to-live. Everything is in whole seconds; 0 means "not set".
 *
 * @public
 */
export interface TtlRequest {
  /** What the caller asks for. */
  readonly incrementSeconds: number
  /** What the token, role or auth method grants when the caller asks for nothing. */
  readonly backendTtlSeconds: number
  /** The most that token, role or auth method allows. */
  readonly backendMaxTtlSeconds: number
  readonly periodSeconds: number
  readonly explicitMaxTtlSeconds: number
  /** The mount's effective defaults. */
  readonly defaultTtlSeconds: number
  readonly maxTtlSeconds: number
  /** When the life began that all of this is part of; milliseconds. */
  readonly startedAt: number
}

/** A granted time-to-live, and what it was reduced by, in words. @public */
export interface GrantedTtl {
  readonly ttlSeconds: number
  readonly warnings: readonly string[]
}

/**
 * The one function that says how long anything lives: at creation, login, renewal and for leases.
 *
 * @remarks
 * A period is granted in full at each renewal, whatever the caller asks and however old the token is; only an
 * explicit maximum ends a periodic life. Everything else ends at the smallest maximum, counted from the start.
 *
 * @returns seconds and warnings, or `past_max_ttl` when nothing is left to grant
 *
 * @example
 * ```ts
 * import { grantTtl } from 'plinth/tokens'
 *
 * const hour = 3600
 * const asked = { incrementSeconds: 5 * hour, backendTtlSeconds: 0, backendMaxTtlSeconds: 4 * hour, periodSeconds: 0,
 *   explicitMaxTtlSeconds: 0, defaultTtlSeconds: 5 * hour, maxTtlSeconds: 30 * hour, startedAt: 0 }
 * const granted = grantTtl(asked, 0)
 * granted.ok && granted.value.ttlSeconds // 14_400
 * granted.ok && granted.value.warnings.length // 1
 * ```
 *
 * @public
 */
export function grantTtl(
  request: TtlRequest,
  now: number,
): { readonly ok: true; readonly value: GrantedTtl } | Refused<'past_max_ttl'> {
  const warnings: string[] = []
  const cap = smallest(request.maxTtlSeconds, request.backendMaxTtlSeconds, request.explicitMaxTtlSeconds)
  const periodic = request.periodSeconds > 0
  let ttl: number
  if (periodic) {
    ttl = Math.min(request.periodSeconds, cap)
    if (ttl < request.periodSeconds) {
      warnings.push(
        `period of "${shortDuration(request.periodSeconds)}" exceeded the effective max_ttl of "${shortDuration(cap)}"; period value is capped accordingly`,
      )
    }
  } else {
    ttl =
      positive(request.incrementSeconds) || positive(request.backendTtlSeconds) || request.defaultTtlSeconds
  }
  const life = periodic ? request.explicitMaxTtlSeconds : cap
  if (life > 0) {
    const left = Math.floor((request.startedAt + life * 1000 - now) / 1000)
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

const positive = (seconds: number): number => Math.max(0, seconds)

const smallest = (...limits: readonly number[]): number =>
  limits.reduce((least, limit) => (limit > 0 && (least === 0 || limit < least) ? limit : least), 0)

/** A duration without units that say nothing: `768h`, `1h30m`. */
const shortDuration = (seconds: number): string => {
  const text = formatDuration(seconds * 1000)
  return text === '0s' ? text : text.replace(/(?<=[hm])0s$/, '').replace(/(?<=h)0m$/, '')
}
