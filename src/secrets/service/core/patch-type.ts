import type { Exchange } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'

/** Why a patch is refused: its content type must be that of a merge patch. */
export function patchTypeProblem(
  exchange: Exchange,
): Refused<'patch_media_type' | 'patch_media_type_missing'> | undefined {
  const given = exchange.header('content-type') ?? ''
  const type = (given.split(';')[0] ?? '').trim().toLowerCase()
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(type))
    return refuse('patch_media_type_missing', 'PATCH requires a Content-Type of application/merge-patch+json')
  return type === 'application/merge-patch+json'
    ? undefined
    : refuse(
        'patch_media_type',
        `PATCH requires Content-Type of application/merge-patch+json, provided ${type}`,
      )
}
