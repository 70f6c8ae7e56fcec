/** The terms of a rate limit: how many requests each client address may send in an interval. */
export interface RateLimitTerms {
  readonly name: string
  /** The role whose logins count; empty for all requests. */
  readonly role: string
  /** Requests per interval; rounded, and at least one. */
  readonly rate: number
  readonly intervalSeconds: number
  /** How long a client that exceeds the rate is refused; 0 for the rest of the interval. */
  readonly blockIntervalSeconds: number
  /** Whether the rate limit of a namespace is for the namespaces within it that have none, too. */
  readonly inheritable: boolean
}

/** A rate limit, and which requests count. */
export interface RateLimit extends RateLimitTerms {
  /** Identifies this text of the quota: counting begins anew when it is written again. */
  readonly id: string
  readonly namespaceId: string
  /** The mount whose requests count; `null` for all of the namespace. */
  readonly mountId: string | null
  /** A path within the mount, or the beginning of paths if it ends in `*`; empty for the whole mount. */
  readonly suffix: string
}

/** The settings of all quotas. */
export interface QuotaSettings {
  /** Beginnings of paths, within their namespace, that no quota counts; those with a leading `!` are counted. */
  readonly exemptPaths: readonly string[]
  /** The same for paths from the root namespace on. */
  readonly absoluteExemptPaths: readonly string[]
  /** Whether requests that a quota refuses are written to the audit devices. */
  readonly auditLogging: boolean
  /** Whether answers have headers that say what is left of the quota. */
  readonly responseHeaders: boolean
}

/** The settings until others are written: health checks and unsealing are exempt. */
export const quotaSettings: QuotaSettings = {
  exemptPaths: [
    'sys/generate-recovery-token/attempt',
    'sys/generate-recovery-token/update',
    'sys/generate-root/attempt',
    'sys/generate-root/update',
    'sys/health',
    'sys/seal-status',
    'sys/unseal',
  ],
  absoluteExemptPaths: [],
  auditLogging: false,
  responseHeaders: false,
}

/** An event of a quota. */
export type QuotaEvent =
  | { readonly type: 'quota.written'; readonly name: string }
  | { readonly type: 'quota.deleted'; readonly name: string }
  | { readonly type: 'quota.configured' }
