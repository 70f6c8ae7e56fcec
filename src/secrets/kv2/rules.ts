import { casMismatch } from '../../kernel/check-and-set.ts'
import { lifecycle, type Refused, refuse } from '../../kernel/index.ts'
import type { KvConfig, Secret, SecretVersion, VersionView } from './model.ts'

/**
 * The lifecycle of one version: from → verb → to. Undeleting a live version restarts its expiry.
 */
export const versionLifecycle = /* @__PURE__ */ lifecycle({
  live: { delete: 'deleted', undelete: 'live', destroy: 'destroyed' },
  deleted: { undelete: 'live', destroy: 'destroyed' },
  destroyed: {},
})

/**
 * The state of a version: `live` is readable, `deleted` can be restored, `destroyed` cannot.
 */
export type VersionStatus = keyof typeof versionLifecycle

/**
 * The status of a version at an instant: time alone expires it. A deletion does not depend on the clock: it applies to
 * every reader, even one whose clock is behind.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { defaultConfig, statusOf, writeSecret } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const config = { ...defaultConfig, deleteVersionAfterSeconds: 60 }
 * const version = unwrapStep(writeSecret(undefined, {}, env, config)).state.versions['1']
 * version && statusOf(version, env.now) // 'live'
 * version && statusOf(version, env.now + 60_000) // 'deleted'
 * ```
 */
export const statusOf = ({ deletedAt, expiresAt, destroyed }: SecretVersion, now: number): VersionStatus => {
  if (destroyed) return 'destroyed'
  return deletedAt !== null || (expiresAt !== null && expiresAt <= now) ? 'deleted' : 'live'
}

/** How many versions a mount keeps by default. */
const defaultMaxVersions = 10

/** The settings of a fresh mount. */
export const defaultConfig: KvConfig = { maxVersions: 0, casRequired: false, deleteVersionAfterSeconds: 0 }

/** The larger of both limits; the mount's cannot be undercut by a secret. */
export const versionLimit = (secret: Secret, config: KvConfig): number =>
  Math.max(secret.maxVersions, config.maxVersions) || defaultMaxVersions

/**
 * When a version created (or undeleted) at `from` expires: after the shorter of both TTLs that are set; never if the
 * mount forbids expiry.
 */
export function expiryOf(secret: Secret, config: KvConfig, from: number): number | null {
  const own = secret.deleteVersionAfterSeconds
  const mount = config.deleteVersionAfterSeconds
  if (mount < 0) return null
  const seconds = own > 0 && mount > 0 ? Math.min(own, mount) : own || mount
  return seconds > 0 ? from + seconds * 1000 : null
}

/** The versions that a new current version prunes, and the oldest that is kept. */
export function pruning(secret: Secret, current: number, limit: number): { oldest: number; gone: number[] } {
  const { oldest } = secret
  if (current - oldest < limit) return { oldest, gone: [] }
  const cut = current - limit
  const gone: number[] = []
  for (let number = Math.max(1, oldest); number <= cut; number += 1)
    if (secret.versions[number] !== undefined) gone.push(number)
  return { oldest: cut + 1, gone }
}

export const newSecret = (incarnation: string, now: number): Secret => ({
  incarnation,
  current: 0,
  oldest: 0,
  createdAt: now,
  updatedAt: now,
  maxVersions: 0,
  casRequired: false,
  deleteVersionAfterSeconds: 0,
  customMetadata: null,
  versions: {},
})

/** A version of a secret by its number, or `undefined` if it never existed or was pruned. */
export const versionOf = (secret: Secret, number: number): SecretVersion | undefined =>
  Object.hasOwn(secret.versions, String(number)) ? secret.versions[String(number)] : undefined

export const viewOf = (secret: Secret, number: number, version: SecretVersion): VersionView => ({
  version: number,
  createdAt: version.createdAt,
  deletedAt: version.deletedAt,
  expiresAt: version.expiresAt,
  destroyed: version.destroyed,
  customMetadata: secret.customMetadata,
})

/** Why a write's check-and-set was refused. */
export type CasRefusal = 'cas_required' | 'cas_mismatch'

/**
 * Why a write is refused: the version that its writer expects is not the newest; 0 means "none yet".
 *
 * @returns `undefined` if the write is allowed
 *
 * @example
 * ```ts
 * import { casProblem, defaultConfig } from 'plinth/kv'
 *
 * casProblem({ current: 3, casRequired: false }, 3) // undefined
 * casProblem({ current: 3, casRequired: false }, 2)?.refusal.code // 'cas_mismatch'
 * casProblem(undefined, undefined, { ...defaultConfig, casRequired: true })?.refusal.code // 'cas_required'
 * ```
 */
export function casProblem(
  secret: { readonly current: number; readonly casRequired: boolean } | undefined,
  cas: number | undefined,
  config: KvConfig = defaultConfig,
): Refused<CasRefusal> | undefined {
  if (cas === undefined)
    return config.casRequired || secret?.casRequired
      ? refuse('cas_required', 'check-and-set parameter required for this call')
      : undefined
  return casMismatch(secret?.current ?? 0, cas)
}
