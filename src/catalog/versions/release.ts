import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, nextStatus, type Outcome, refuse, step } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import { isUsable } from '../providers/usable.ts'
import { versionLifecycle } from './lifecycle.ts'
import type { Version } from './model.ts'

/**
 * Offers a version to clients.
 *
 * @remarks
 * Requires a usable provider, whose image a client can download.
 *
 * @returns the version, now active; or `version_already_released`, `version_revoked` (final), `version_unusable`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { createProvider, createVersion, releaseVersion } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const early = releaseVersion(version, {}, env)
 * !early.ok && early.refusal.code // 'version_unusable'
 *
 * const url = 'https://example.com/a.box'
 * const usable = unwrapStep(createProvider(version, { name: 'qemu', url }, env)).state
 * unwrap(releaseVersion(usable, {}, env)).status // 'active'
 * ```
 */
export function releaseVersion(
  version: Version,
  _input: Readonly<Record<never, never>>,
  env: Env,
): Outcome<
  Version,
  Version,
  CatalogEvent,
  'version_already_released' | 'version_revoked' | 'version_unusable'
> {
  checkArguments('version env', version, env)
  const status = nextStatus(versionLifecycle, version.status, 'release')
  if (status === undefined)
    return version.status === 'revoked'
      ? refuse('version_revoked', `Version ${version.number} was revoked: delete it and create it again`)
      : // Publishing tools look for "already been released" and continue.
        refuse('version_already_released', `Version ${version.number} has already been released`)
  if (!version.providers.some(isUsable))
    return refuse(
      'version_unusable',
      `Version ${version.number} needs a provider with a url or an uploaded image before it can be released`,
    )
  const outcome = step(version, (draft, emit: (event: CatalogEvent) => void) => {
    draft.status = status
    draft.updatedAt = env.now
    emit({ type: 'version.released', version: version.number })
  })
  return { ...outcome, value: outcome.state }
}
