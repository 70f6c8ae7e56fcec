import { type Env, nextStatus, type Outcome, type Refused, refuse, step } from '../../kernel/index.ts'
import type { Asset, Checksum } from '../providers/model.ts'
import { uploadLifecycle } from './lifecycle.ts'
import type { Upload } from './model.ts'
import { type UploadPolicy, uploadPolicy } from './policy.ts'

/**
 * Says why bytes for an upload may no longer begin to come.
 *
 * @remarks
 * Only the beginning counts: bytes that began in time may take as long as they take.
 *
 * @returns `upload_expired`, or `undefined` when they may
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
 *
 * @public
 */
export const uploadProblem = (upload: Upload, env: Env): Refused<'upload_expired'> | undefined =>
  upload.expiresAt <= env.now ? refuse('upload_expired', uploadExpired) : undefined

/** The spec's own advice. */
export const uploadExpired = 'The upload has expired: request the upload endpoint again for a new address'

/**
 * Bytes that have all come, and what they add up to.
 *
 * @public
 */
export interface StoreUploadInput {
  readonly asset: Asset
  /** What the bytes had to add up to when they began to come; null when nothing was asked. */
  readonly expected: Checksum | null
  /** What they do add up to, by the same kind of digest; null when nothing was asked. */
  readonly actual: Checksum | null
}

/**
 * Notes that an upload's bytes are stored. Its value is the blob that nothing refers to any more, if there is one.
 *
 * @returns or `checksum_mismatch`, or `upload_empty`: the bytes are then to be dropped, and may be sent again.
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
 *
 * @public
 */
export function storeUpload(
  upload: Upload,
  input: StoreUploadInput,
  env: Env,
  policy: UploadPolicy = uploadPolicy,
): Outcome<Upload, { readonly dropped: string | null }, never, 'checksum_mismatch' | 'upload_empty'> {
  if (input.asset.size === 0)
    return refuse('upload_empty', 'The upload is empty: send the box image as the body')
  const { expected, actual } = input
  if (expected !== null && expected.hex !== actual?.hex)
    return refuse(
      'checksum_mismatch',
      `The ${expected.type} checksum of the upload is ${actual?.hex ?? 'unknown'}, not ${expected.hex} as the provider says`,
    )
  const status = nextStatus(uploadLifecycle, upload.status, 'store')
  if (status === undefined) throw new Error(`an upload that is ${upload.status} takes no bytes`)
  // Bytes that became an image belong to their provider; only staged ones are lost.
  const dropped = upload.status === 'stored' ? (upload.asset?.blob ?? null) : null
  return step(upload, (draft) => {
    draft.status = status
    draft.asset = { ...input.asset }
    draft.checksum = actual === null ? null : { ...actual }
    // What became an image may be repeated, for an answer that was lost, but not for ever: an address gets around.
    if (upload.status !== 'finalized') draft.expiresAt = env.now + policy.finalizeWithinSeconds * 1000
    return { dropped }
  })
}
