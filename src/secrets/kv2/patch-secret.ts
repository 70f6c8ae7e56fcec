import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import { mergePatch } from './merge-patch.ts'
import type { KvConfig, KvEvent, Secret, VersionView } from './model.ts'
import { type CasRefusal, casProblem, defaultConfig, statusOf, versionOf, viewOf } from './rules.ts'
import { addVersion, type Written } from './write-secret.ts'

/**
 * Why a patch was refused. `version_gone` carries the version's metadata in `detail.version`.
 */
export type PatchRefusal = CasRefusal | 'secret_not_found' | 'version_gone'

/**
 * Adds a version that is the current one with a merge patch applied (RFC 7396): `null` removes a field, objects are
 * merged, everything else is replaced.
 *
 * @param input - `data`: the JSON text of the current version's data; `patch`: the JSON text of the patch; `cas` as for
 * {@link writeSecret}. Numbers keep all their digits.
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { patchSecret, writeSecret } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const secret = unwrapStep(writeSecret(undefined, {}, env)).state
 * const input = { data: '{"user":"ada","old":1}', patch: '{"old":null,"id":12345678901234567890}' }
 * unwrap(patchSecret(secret, input, env)).data // '{"user":"ada","id":12345678901234567890}'
 * ```
 */
export function patchSecret(
  secret: Secret | undefined,
  input: { readonly data: string; readonly patch: string; readonly cas?: number | undefined },
  env: Env,
  config: KvConfig = defaultConfig,
): Outcome<Secret, Written & { readonly data: string }, KvEvent, PatchRefusal> {
  checkInput(input, { data: '', patch: '' }, { cas: 0 }, env)
  if (secret === undefined) return refuse('secret_not_found', '')
  const refused = casProblem(secret, input.cas, config) ?? patchProblem(secret, env.now)
  if (refused) return refused
  const added = addVersion(secret, env, config)
  return { ...added, value: { ...added.value, data: mergePatch(input.data, input.patch) } }
}

/** A deleted version cannot be patched. */
function patchProblem(secret: Secret, now: number): Refused<'secret_not_found' | 'version_gone'> | undefined {
  const current = versionOf(secret, secret.current)
  if (current === undefined) return refuse('secret_not_found', '')
  if (statusOf(current, now) === 'live') return undefined
  const version: VersionView = viewOf(secret, secret.current, current)
  return refuse('version_gone', `version ${secret.current} is deleted`, { version })
}
