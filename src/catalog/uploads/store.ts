import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, nextStatus, type Outcome, type Refused, refuse, step } from '../../kernel/index.ts'
import type { Asset, Checksum, Provider } from '../providers/model.ts'
import { isUsable } from '../providers/usable.ts'
import type { Version } from '../versions/model.ts'
import { revokedProblem } from '../versions/revoke.ts'
import { uploadLifecycle } from './lifecycle.ts'
import type { Upload } from './model.ts'
import { type UploadPolicy, uploadPolicy } from './policy.ts'

/**
 * Says why an upload may no longer begin.
 *
 * @remarks
 * Only the beginning counts: an upload that began in time may take any time.
 *
 * @returns `upload_expired`, or `undefined` if it may
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { createProvider, createVersion, uploadProblem, requestUpload } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const added = unwrapStep(createProvider(version, { name: 'qemu' }, env))
 * const input = { id: 'digest', at: { name: 'qemu' }, mode: 'direct' } as const
 * const upload = unwrap(requestUpload(added.state, input, env))
 * uploadProblem(upload, { ...env, now: upload.expiresAt })?.refusal.code // 'upload_expired'
 * ```
 */
export const uploadProblem = (upload: Upload, env: Env): Refused<'upload_expired'> | undefined =>
  upload.expiresAt <= env.now ? refuse('upload_expired', uploadExpired) : undefined

/**
 * Says why an upload may not replace the image of its provider: its version was released or revoked meanwhile. A first
 * image may still arrive.
 */
export const endedProblem = (
  { during }: Upload,
  version: Version,
  provider: Provider,
): Refused<'upload_ended' | 'version_revoked'> | undefined =>
  during === undefined || during === version.status || !isUsable(provider)
    ? undefined
    : (revokedProblem(version) ??
      refuse(
        'upload_ended',
        `Version ${version.number} was released after this upload was requested, and its ${provider.name} ${provider.architecture} has an image: request the upload endpoint again to replace it`,
      ))

/** The advice of the original API. */
export const uploadExpired = 'The upload has expired: request the upload endpoint again for a new address'

/**
 * Completely received bytes, and their digest.
 */
export interface StoreUploadInput {
  readonly asset: Asset
  /** The required digest; null if none is required. */
  readonly expected: Checksum | null
  /** The computed digest of the same type; null if none is required, or if it was not computed. */
  readonly actual: Checksum | null
}

/** Why bytes do not match the declared checksum of their provider. */
export const mismatch = (expected: Checksum, actual: string | undefined): Refused<'checksum_mismatch'> =>
  refuse(
    'checksum_mismatch',
    `The ${expected.type} checksum of the upload is ${actual ?? 'unknown'}, not ${expected.hex} as the provider says: upload the right bytes, or change the provider's checksum first`,
  )

/**
 * Records that an upload's bytes are stored. Its value lists the blobs that are no longer referenced.
 *
 * @remarks
 * Bytes of a direct upload that have a wrong checksum are among these; they are reported when the upload is finalized,
 * where clients show it.
 *
 * @returns or `checksum_mismatch`, or `upload_empty`: the bytes are then to be deleted, and may be sent again; or
 * `upload_finalized`, because a direct upload that became an image accepts no other bytes.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap, unwrapStep } from 'plinth'
 * import { createProvider, createVersion, requestUpload, storeUpload } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * const added = unwrapStep(createProvider(version, { name: 'qemu' }, env))
 * const input = { id: 'digest', at: { name: 'qemu' }, mode: 'direct' } as const
 * const upload = unwrap(requestUpload(added.state, input, env))
 * const bytes = { asset: { blob: 'blob-1', size: 177 }, expected: null, actual: null }
 * const stored = storeUpload(upload, bytes, env)
 * unwrapStep(stored).state.status // 'stored'
 * ```
 */
export function storeUpload(
  upload: Upload,
  input: StoreUploadInput,
  env: Env,
  policy: UploadPolicy = uploadPolicy,
): Outcome<
  Upload,
  { readonly dropped: readonly string[] },
  never,
  'checksum_mismatch' | 'upload_empty' | 'upload_finalized'
> {
  checkArguments('upload input env', upload, input, env)
  if (input.asset.size === 0)
    return refuse('upload_empty', 'The upload is empty: send the box image as the body')
  const { expected, actual } = input
  // Clients retry an upload whose answer was lost: the same bytes are stored already.
  if (upload.status === 'finalized' && upload.sha256 !== undefined && upload.sha256 === input.asset.sha256)
    return answer(upload, { dropped: [input.asset.blob] })
  if (upload.status === 'finalized' && upload.mode === 'direct')
    return refuse(
      'upload_finalized',
      'This upload is complete and accepts no more bytes: request the upload endpoint again for a new address',
    )
  const isWrong = expected !== null && expected.hex !== actual?.hex
  if (isWrong && upload.mode === 'standard') return mismatch(expected, actual?.hex)
  const status = nextStatus(uploadLifecycle, upload.status, 'store')
  if (status === undefined) throw new Error(`an upload that is ${upload.status} takes no bytes`)
  // Bytes that became an image belong to their provider; only staged ones are lost.
  const staged = upload.status === 'stored' && upload.asset ? [upload.asset.blob] : []
  const dropped = isWrong ? [...staged, input.asset.blob] : staged
  return step(upload, (draft) => {
    draft.status = status
    draft.asset = isWrong ? null : { ...input.asset }
    draft.checksum = actual === null ? null : { ...actual }
    if (input.asset.sha256 !== undefined) draft.sha256 = input.asset.sha256
    // A finished upload may be repeated, after a lost answer, but not forever: its URL may leak.
    if (upload.status !== 'finalized') draft.expiresAt = env.now + policy.finalizeWithinSeconds * 1000
    return { dropped }
  })
}

/** The upload after its bytes were deleted, because they cannot become the image. */
export const withoutBytes = (upload: Upload): Upload => Object.assign({}, upload, { asset: null })
