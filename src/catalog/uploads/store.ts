import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, nextStatus, type Outcome, type Refused, refuse, step } from '../../kernel/index.ts'
import type { Asset, Checksum } from '../providers/model.ts'
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

/** Says why an upload ended before its time: the version was released or revoked meanwhile. */
export const endedProblem = (
  { during, status }: Upload,
  version: { readonly status: Upload['during'] },
): Refused<'upload_expired'> | undefined =>
  during === undefined || during === version.status || (status === 'finalized' && version.status === 'active')
    ? undefined
    : refuse('upload_expired', uploadExpired)

/** The advice of the original API. */
export const uploadExpired = 'The upload has expired: request the upload endpoint again for a new address'

/**
 * Completely received bytes, and their digest.
 */
export interface StoreUploadInput {
  readonly asset: Asset
  /** The required digest at the start of the upload; null if none was required. */
  readonly expected: Checksum | null
  /** The computed digest of the same type; null if none was required. */
  readonly actual: Checksum | null
}

/** Why bytes do not match the declared checksum of their provider. */
export const mismatch = (expected: Checksum, actual: string | undefined): Refused<'checksum_mismatch'> =>
  refuse(
    'checksum_mismatch',
    `The ${expected.type} checksum of the upload is ${actual ?? 'unknown'}, not ${expected.hex} as the provider says: upload the right bytes, or change the provider's checksum first`,
  )

/**
 * Records that an upload's bytes are stored. Its value is the blob that is no longer referenced, if any.
 *
 * @remarks
 * A wrong checksum of a direct upload is reported when it is finalized, where clients show it.
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
  { readonly dropped: string | null },
  never,
  'checksum_mismatch' | 'upload_empty' | 'upload_finalized'
> {
  checkArguments('upload input env', upload, input, env)
  if (input.asset.size === 0)
    return refuse('upload_empty', 'The upload is empty: send the box image as the body')
  const { expected, actual } = input
  if (upload.mode === 'direct' && upload.status === 'finalized') {
    // Clients retry an upload whose answer was lost: the same bytes are stored already.
    if (upload.sha256 !== undefined && upload.sha256 === input.asset.sha256)
      return answer(upload, { dropped: input.asset.blob })
    return refuse(
      'upload_finalized',
      'This upload is complete and accepts no more bytes: request the upload endpoint again for a new address',
    )
  }
  if (upload.mode === 'standard' && expected !== null && expected.hex !== actual?.hex)
    return mismatch(expected, actual?.hex)
  const status = nextStatus(uploadLifecycle, upload.status, 'store')
  if (status === undefined) throw new Error(`an upload that is ${upload.status} takes no bytes`)
  // Bytes that became an image belong to their provider; only staged ones are lost.
  const dropped = upload.status === 'stored' ? (upload.asset?.blob ?? null) : null
  return step(upload, (draft) => {
    draft.status = status
    draft.asset = { ...input.asset }
    draft.checksum = actual === null ? null : { ...actual }
    if (input.asset.sha256 !== undefined) draft.sha256 = input.asset.sha256
    // A finished upload may be repeated, after a lost answer, but not forever: its URL may leak.
    if (upload.status !== 'finalized') draft.expiresAt = env.now + policy.finalizeWithinSeconds * 1000
    return { dropped }
  })
}

/** The upload as before any bytes came, because wrong bytes are deleted. */
export const withoutBytes = ({ sha256, ...upload }: Upload): Upload =>
  Object.assign({}, upload, { status: 'requested' as const, asset: null, checksum: null })
