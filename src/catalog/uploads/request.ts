import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { findProvider, type ProviderAddress } from '../providers/identity.ts'
import { providerUnknown } from '../providers/update.ts'
import type { Version } from '../versions/model.ts'
import { revokedProblem } from '../versions/revoke.ts'
import type { Upload } from './model.ts'
import { type UploadPolicy, uploadPolicy } from './policy.ts'

/**
 * A requested upload.
 */
export interface RequestUploadInput {
  /** The digest of the secret in the upload's URL, which identifies the upload. */
  readonly id: string
  readonly at: ProviderAddress
  readonly mode: Upload['mode']
  /** The digest of the caller's token: the upload expires with it. */
  readonly token?: string | undefined
  /** The user who requests it. */
  readonly by?: string | undefined
  /** Whether that user has no account here. */
  readonly guest?: boolean | undefined
  /** The blob for a direct upload to a presigned URL, if there is one. */
  readonly sent?: string | undefined
}

/**
 * Creates an upload for the image of a provider. Any number of uploads may be open; the one finalized last wins.
 *
 * @returns the upload; or `provider_unknown`, `version_revoked` (it accepts no new images).
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { createProvider, createVersion, requestUpload } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const added = unwrapStep(createProvider(version, { name: 'qemu' }, env))
 * const input = { id: 'digest', at: { name: 'qemu' }, mode: 'direct' } as const
 * const upload = unwrap(requestUpload(added.state, input, env))
 * upload.status // 'requested'
 * ```
 */
export function requestUpload(
  version: Version,
  input: RequestUploadInput,
  env: Env,
  policy: UploadPolicy = uploadPolicy,
): Outcome<Version, Upload, never, 'provider_unknown' | 'version_revoked'> {
  checkArguments('version input env', version, input, env)
  const provider = findProvider(version.providers, input.at)
  if (!provider) return refuse('provider_unknown', providerUnknown)
  const over = revokedProblem(version)
  if (over) return over
  const upload: Upload = {
    id: input.id,
    boxId: version.boxId,
    providerId: provider.id,
    mode: input.mode,
    status: 'requested',
    asset: null,
    checksum: null,
    during: version.status,
    ...(input.token === undefined ? {} : { token: input.token }),
    ...(input.by === undefined ? {} : { by: input.by }),
    ...(input.guest === true ? { guest: true } : {}),
    ...(input.sent === undefined ? {} : { sent: input.sent }),
    requestedAt: env.now,
    expiresAt: env.now + policy.beginWithinSeconds * 1000,
  }
  return { ok: true, state: version, value: upload, events: [] }
}
