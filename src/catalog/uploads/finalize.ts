import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, nextStatus, type Outcome, refuse } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import { attachAsset } from '../providers/attach-asset.ts'
import type { Checksum, Provider } from '../providers/model.ts'
import { providerUnknown } from '../providers/update.ts'
import type { Version } from '../versions/model.ts'
import { uploadLifecycle } from './lifecycle.ts'
import type { Upload } from './model.ts'
import { type UploadPolicy, uploadPolicy } from './policy.ts'
import { endedProblem, mismatch, uploadExpired } from './store.ts'

/**
 * An upload and the version whose provider it is for.
 */
export interface VersionUpload {
  readonly upload: Upload
  readonly version: Version
}

/**
 * Makes the stored bytes of an upload the image of its provider; idempotent.
 *
 * @param input - `declared`: the provider's current checksum, which may have changed since the upload.
 *
 * @returns the provider; or `provider_unknown`, `upload_not_stored` (no bytes yet), `upload_expired`,
 * `upload_ended`, `version_revoked`, `checksum_mismatch`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { createProvider, createVersion, finalizeUpload, requestUpload } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const added = unwrapStep(createProvider(version, { name: 'qemu' }, env))
 * const input = { id: 'digest', at: { name: 'qemu' }, mode: 'direct' } as const
 * const upload = unwrap(requestUpload(added.state, input, env))
 * const early = finalizeUpload({ upload, version: added.state }, { declared: null }, env)
 * !early.ok && early.refusal.code // 'upload_not_stored'
 * ```
 */
export function finalizeUpload(
  state: VersionUpload,
  input: { readonly declared: Checksum | null },
  env: Env,
  policy: Pick<UploadPolicy, 'repeatWithinSeconds'> = uploadPolicy,
): Outcome<
  VersionUpload,
  Provider,
  CatalogEvent,
  | 'provider_unknown'
  | 'upload_not_stored'
  | 'upload_expired'
  | 'upload_ended'
  | 'version_revoked'
  | 'checksum_mismatch'
> {
  checkArguments('state input env', state, input, env)
  const { upload, version } = state
  const provider = version.providers.find(({ id }) => id === upload.providerId)
  if (!provider) return refuse('provider_unknown', providerUnknown)
  if (upload.status === 'finalized') return answer(state, provider)
  if (upload.expiresAt <= env.now) return refuse('upload_expired', uploadExpired)
  const status = nextStatus(uploadLifecycle, upload.status, 'finalize')
  const { asset, checksum } = upload
  const { declared } = input
  const actual =
    declared?.type === 'sha256' && upload.sha256 !== undefined
      ? upload.sha256
      : declared?.type === checksum?.type
        ? checksum?.hex
        : undefined
  const ended = endedProblem(upload, version, provider)
  if (ended) return ended
  if (status !== undefined && declared !== null && declared.hex !== actual) return mismatch(declared, actual)
  if (status === undefined || asset === null)
    return refuse('upload_not_stored', 'No bytes have been uploaded yet: send them to the upload path first')
  const attached = attachAsset(version, { at: provider, asset }, env)
  if (!attached.ok) return attached
  const finalized: Upload = Object.assign({}, upload, {
    status,
    asset: null,
    // Repeatable for a client that lost the answer, but not for long: the URL may leak.
    expiresAt: Math.min(upload.expiresAt, env.now + policy.repeatWithinSeconds * 1000),
  })
  return { ...attached, state: { upload: finalized, version: attached.state } }
}
