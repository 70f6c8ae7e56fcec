import type { Exchange } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'

/** The media type of a merge patch (RFC 7396). */
export const mergePatchType = 'application/merge-patch+json'

/** Why a patch is refused: its content type must be that of a merge patch. */
export function patchTypeProblem(
  exchange: Exchange,
): Refused<'patch_media_type' | 'patch_media_type_missing'> | undefined {
  const given = exchange.header('content-type') ?? ''
  const type = (given.split(';')[0] ?? '').trim().toLowerCase()
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(type))
    return refuse('patch_media_type_missing', `PATCH requires a Content-Type of ${mergePatchType}`)
  return type === mergePatchType
    ? undefined
    : refuse('patch_media_type', `PATCH requires Content-Type of ${mergePatchType}, provided ${type}`)
}
