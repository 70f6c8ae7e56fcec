import { checkInput } from '../../kernel/check-input.ts'
import type { Env, Outcome, Step } from '../../kernel/index.ts'
import type { KvConfig, KvEvent, Secret, SecretVersion, VersionView } from './model.ts'
import {
  type CasRefusal,
  casProblem,
  defaultConfig,
  expiryOf,
  newSecret,
  pruning,
  versionLimit,
  viewOf,
} from './rules.ts'

/**
 * The result of a write: the new version, and the versions whose data must be deleted with it.
 */
export interface Written {
  readonly version: VersionView
  readonly pruned: readonly number[]
}

/**
 * Adds a version to a secret.
 *
 * @remarks
 * The engine stores no data: store it under the secret's `incarnation` and the number in `value.version.version`, and
 * delete that of the versions in `value.pruned`, in the same transaction.
 *
 * @param secret - the current secret; `undefined` for a path without one
 * @param input - `cas`: the version the writer believes is newest; 0 means "only if nothing was written".
 * A secret whose versions are deleted or destroyed still has its current version.
 * @param config - the settings of its mount; {@link defaultConfig} by default
 * @returns the version, or `cas_required` / `cas_mismatch`
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeSecret } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const { state: secret, value } = unwrapStep(writeSecret(undefined, { cas: 0 }, env))
 * value.version.version // 1
 * writeSecret(secret, { cas: 0 }, env).ok // false
 * ```
 */
export function writeSecret(
  secret: Secret | undefined,
  input: { readonly cas?: number | undefined },
  env: Env,
  config: KvConfig = defaultConfig,
): Outcome<Secret, Written, KvEvent, CasRefusal> {
  checkInput(input, {}, { cas: 0 }, env)
  const refused = casProblem(secret, input.cas, config)
  if (refused) return refused
  return addVersion(secret ?? newSecret(env.newId('secret'), env.now), env, config)
}

/**
 * The part of a write after all checks. Built by hand instead of with drafts: it is the hottest step of the engine, and
 * copies only the map of versions.
 */
export function addVersion(secret: Secret, env: Env, config: KvConfig): Step<Secret, Written, KvEvent> {
  const number = secret.current + 1
  const { oldest, gone } = pruning(secret, number, versionLimit(secret, config))
  const version = {
    createdAt: env.now,
    deletedAt: null,
    expiresAt: expiryOf(secret, config, env.now),
    destroyed: false,
  }
  const versions: Record<string, SecretVersion> = {}
  // Copied one by one: deleting pruned versions from a copy would turn it into a hash table, which slows every later
  // read.
  for (let old = Math.max(1, oldest); old < number; old += 1) {
    const known = secret.versions[old]
    if (known !== undefined) versions[old] = known
  }
  versions[number] = version
  return {
    ok: true,
    state: { ...secret, current: number, oldest, updatedAt: env.now, versions },
    value: { version: viewOf(secret, number, version), pruned: gone },
    events: [{ type: 'kv.written', version: number }],
  }
}
