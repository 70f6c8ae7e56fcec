import { answer, type Env, nextStatus, type Outcome, refuse, step } from '../../kernel/index.ts'
import type { Asset, Checksum } from '../providers/model.ts'
import { uploadLifecycle } from './lifecycle.ts'
import type { Upload } from './model.ts'
import { uploadExpired } from './store.ts'

/**
 * Makes the stored bytes of an upload the image of its provider. Its value is those bytes, or null when that was
 * done already.
 *
 * @param input - `declared`: the provider's checksum now. It may have changed since the bytes came.
 *
 * @returns or `upload_not_stored` (no bytes yet), `upload_expired`, `checksum_mismatch`.
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
 * const early = finalizeUpload(upload, { declared: null }, env)
 * !early.ok && early.refusal.code // 'upload_not_stored'
 * ```
 *
 * @public
 */
export function finalizeUpload(
  upload: Upload,
  input: { readonly declared: Checksum | null },
  env: Env,
): Outcome<Upload, Asset | null, never, 'upload_not_stored' | 'upload_expired' | 'checksum_mismatch'> {
  if (upload.status === 'finalized') return answer(upload, null)
  if (upload.expiresAt <= env.now) return refuse('upload_expired', uploadExpired)
  const status = nextStatus(uploadLifecycle, upload.status, 'finalize')
  const { asset, checksum } = upload
  if (status === undefined || asset === null)
    return refuse('upload_not_stored', 'No bytes have been uploaded yet: send them to the upload path first')
  const { declared } = input
  if (declared !== null && (declared.type !== checksum?.type || declared.hex !== checksum.hex))
    return refuse(
      'checksum_mismatch',
      `The provider's ${declared.type} checksum is not that of the uploaded bytes, or was set after they came: upload them again`,
    )
  return step(upload, (draft): Asset => {
    draft.status = status
    draft.asset = null
    return { ...asset }
  })
}
