import type { RateLimit } from './model.ts'

/** The rate limits of one mount, or of one namespace without regard to mounts. */
interface Limits {
  whole: RateLimit | undefined
  readonly roles: Map<string, RateLimit>
  readonly paths: Map<string, RateLimit>
  /** By the beginnings of paths, the longest first. */
  readonly prefixes: { readonly start: string; readonly quota: RateLimit }[]
}

/** All rate limits, by the mounts and namespaces that they are for. */
export type RateLimitIndex = ReadonlyMap<string, Limits>

/** Builds the index of all rate limits. */
export function rateLimitIndex(quotas: readonly RateLimit[]): RateLimitIndex {
  const index = new Map<string, Limits>()
  for (const quota of quotas) {
    const target = quota.mountId ?? quota.namespaceId
    const limits: Limits = index.get(target) ?? {
      whole: undefined,
      roles: new Map(),
      paths: new Map(),
      prefixes: [],
    }
    index.set(target, limits)
    const { role, suffix } = quota
    if (role !== '') limits.roles.set(role.toLowerCase(), quota)
    else if (suffix.endsWith('*')) limits.prefixes.push({ start: suffix.slice(0, -1), quota })
    else if (suffix !== '') limits.paths.set(suffix, quota)
    else limits.whole = quota
  }
  for (const { prefixes } of index.values()) prefixes.sort((a, b) => b.start.length - a.start.length)
  return index
}

/** Whether some rate limit of a mount is for the logins of a role, which is known once the body is read. */
export const limitsRoles = (index: RateLimitIndex, mountId: string): boolean =>
  (index.get(mountId)?.roles.size ?? 0) > 0

/** A request, as far as rate limits look at it. */
export interface LimitedRequest {
  readonly mountId: string | undefined
  /** The path within the mount. */
  readonly rest: string
  /** The role of a login, if it is known. */
  readonly role: string | undefined
  /** The ids of the request's namespace and of those around it, the innermost first. */
  readonly namespaceIds: readonly string[]
}

/**
 * The most specific rate limit of a request: for its role, its path, the longest beginning of its path, its mount, its
 * namespace, and at last a namespace around that.
 */
export function findRateLimit(
  index: RateLimitIndex,
  { mountId, rest, role, namespaceIds }: LimitedRequest,
): RateLimit | undefined {
  const limits = mountId === undefined ? undefined : index.get(mountId)
  if (limits !== undefined) {
    const path = rest.replace(/\/$/, '')
    const own =
      limits.roles.get(role?.toLowerCase() ?? '') ??
      limits.paths.get(path) ??
      limits.prefixes.find(({ start }) => path.startsWith(start))?.quota ??
      limits.whole
    if (own !== undefined) return own
  }
  for (const [depth, id] of namespaceIds.entries()) {
    const quota = index.get(id)?.whole
    if (quota !== undefined && (depth === 0 || quota.inheritable)) return quota
  }
  return undefined
}

/** Whether the longest entry that a path begins with exempts it: entries with a leading `!` do not. */
export function isExempt(entries: readonly string[], path: string): boolean {
  let longest = -1
  let exempt = false
  for (const entry of entries) {
    const isException = entry.startsWith('!')
    const start = entry.slice(isException ? 1 : 0).replace(/\*$/, '')
    if (entry === '' || start.length <= longest || !path.startsWith(start)) continue
    longest = start.length
    exempt = !isException
  }
  return exempt
}
