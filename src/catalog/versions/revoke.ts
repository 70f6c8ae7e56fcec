import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, nextStatus, type Outcome, type Refused, refuse, step } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import { versionLifecycle } from './lifecycle.ts'
import type { Version } from './model.ts'

/**
 * Revokes a released version permanently.
 *
 * @returns the version, now revoked; or `version_revoked` (it is already), `version_not_released`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { createVersion, revokeVersion } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const refused = revokeVersion(version, {}, env)
 * !refused.ok && refused.refusal.code // 'version_not_released'
 * ```
 */
export function revokeVersion(
  version: Version,
  _input: Readonly<Record<never, never>>,
  env: Env,
): Outcome<Version, Version, CatalogEvent, 'version_revoked' | 'version_not_released'> {
  checkArguments('version env', version, env)
  const status = nextStatus(versionLifecycle, version.status, 'revoke')
  if (status === undefined)
    return version.status === 'revoked'
      ? refuse('version_revoked', `Version ${version.number} has already been revoked`)
      : refuse(
          'version_not_released',
          `Version ${version.number} has not been released: only a released one can be revoked`,
        )
  const outcome = step(version, (draft, emit: (event: CatalogEvent) => void) => {
    draft.status = status
    draft.updatedAt = env.now
    emit({ type: 'version.revoked', version: version.number })
  })
  return { ...outcome, value: outcome.state }
}

/** Why a version accepts no changes. */
export const revokedProblem = ({ number, status }: Version): Refused<'version_revoked'> | undefined =>
  status === 'revoked'
    ? refuse('version_revoked', `Version ${number} was revoked and cannot be changed: create another version`)
    : undefined
