import { requestWindows } from '../../../kernel/request-windows.ts'
import type { Snapshot } from '../../../store/index.ts'
import type { Mount } from '../../mounts/index.ts'
import {
  findRateLimit,
  isExempt,
  limitsRoles,
  type RateLimitIndex,
  rateLimitIndex,
} from '../../quotas/find-rate-limit.ts'
import { type QuotaSettings, quotaSettings, type RateLimit } from '../../quotas/model.ts'
import { type Core, type Namespace, stateOf } from '../core/core.ts'
import { namespaceAt } from '../core/namespaces.ts'
import { quotaSettingsRecords, rateLimits } from './records.ts'

/** How many clients are counted at once, of all quotas together. */
const mostClients = 100_000

/** The mark that every change of a quota raises. */
const anyQuota = rateLimits.markOf()

const stateIn = stateOf(() => ({
  count: requestWindows(mostClients),
  /** The revision of the last change of any quota, and the index of that. */
  seen: 0,
  index: undefined as RateLimitIndex | undefined,
}))

/** The index of all rate limits; `undefined` if there are none. */
function indexNow(core: Core, now: Snapshot): RateLimitIndex | undefined {
  const state = stateIn(core)
  const changed = now.get(anyQuota)?.modified ?? 0
  if (changed !== state.seen) {
    const all = rateLimits.list(now).map(({ value }) => value.quota)
    state.index = all.length === 0 ? undefined : rateLimitIndex(all)
    state.seen = changed
  }
  return state.index
}

/** The settings of all quotas. */
export const settingsAt = (now: Snapshot): QuotaSettings =>
  quotaSettingsRecords.get(now, 'it')?.value.settings ?? quotaSettings

/** A request, as far as quotas look at it. */
export interface CountedRequest {
  readonly namespace: Namespace
  readonly mount: Mount | undefined
  /** The path within the namespace. */
  readonly path: string
  /** The path within the mount. */
  readonly rest: string
  /** The client's address; requests without one count together. */
  readonly address: string | undefined
  /** The body, once it is read. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

/** What a quota says of a request. */
export interface Counted {
  readonly allowed: boolean
  /** Whether a refusal is written to the audit devices. */
  readonly isAudited: boolean
  /** Headers of the answer; empty unless they are enabled. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Counts a request once: before its body is read; or after that, if a quota of its mount is for the role of a login.
 *
 * @returns `undefined` if no quota is for it, or not at this time
 */
export function countRequest(core: Core, request: CountedRequest): Counted | 'needs body' | undefined {
  const now = core.barrier.ifOpen()?.view.stale()
  if (now === undefined) return undefined
  const index = indexNow(core, now)
  if (index === undefined) return undefined
  const { namespace, mount, path, rest, address, body } = request
  if (body === undefined && mount !== undefined && rest === 'login' && limitsRoles(index, mount.id))
    return 'needs body'
  const quota = findRateLimit(index, {
    mountId: mount?.id,
    rest,
    role: mount && body && roleOf(core, now, mount, body),
    namespaceIds: namespacesAround(now, namespace),
  })
  if (quota === undefined) return undefined
  const settings = settingsAt(now)
  if (isExempt(settings.exemptPaths, path) || isExempt(settings.absoluteExemptPaths, namespace.path + path))
    return undefined
  return countAgainst(core, quota, address ?? '', settings)
}

function countAgainst(
  core: Core,
  { id, rate, intervalSeconds, blockIntervalSeconds }: RateLimit,
  address: string,
  { auditLogging, responseHeaders }: QuotaSettings,
): Counted {
  const { now } = core.env()
  const { allowed, limit, remaining, resetAt } = stateIn(core).count(`${id}\n${address}`, now, {
    limit: Math.max(1, Math.round(rate)),
    windowMs: intervalSeconds * 1000,
    blockMs: blockIntervalSeconds * 1000,
  })
  const headers: Record<string, string> = {}
  if (responseHeaders) {
    const seconds = String(Math.ceil((resetAt - now) / 1000))
    headers['x-ratelimit-limit'] = String(limit)
    headers['x-ratelimit-remaining'] = String(remaining)
    headers['x-ratelimit-reset'] = seconds
    if (!allowed) headers['retry-after'] = seconds
  }
  return { allowed, isAudited: auditLogging, headers }
}

/** The role that a login at a mount names; `undefined` if it names none that exists. */
function roleOf({ concepts }: Core, now: Snapshot, mount: Mount, body: Readonly<Record<string, unknown>>) {
  const method = concepts.find(({ loginRole }) => loginRole?.mountTypes.includes(mount.type))
  return method?.loginRole?.of(now, mount.id, body)
}

/** The ids of a namespace and of those around it, the innermost first. */
function namespacesAround(now: Snapshot, namespace: Namespace): readonly string[] {
  const ids = [namespace.id]
  for (let path = namespace.path; path !== ''; ) {
    path = path.replace(/[^/]*\/$/, '')
    const outer = namespaceAt(now, path)
    if (outer) ids.push(outer.id)
  }
  return ids
}
