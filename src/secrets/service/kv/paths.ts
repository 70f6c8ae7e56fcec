import { type Refused, refuse } from '../../../kernel/index.ts'
import { checkKey, isStoreError } from '../../../store/index.ts'

/** Why a path cannot name a secret. */
export type PathRefusal = 'path_missing' | 'path_is_folder' | 'path_segment' | 'path_too_long'

/** What any command on a mount may meet. */
export const placeRefusals = [
  'mount_gone',
  'path_missing',
  'path_is_folder',
  'path_segment',
  'path_too_long',
  'secret_too_large',
] as const

/** Refusals of every operation at a path within a mount. @public */
export type PlaceRefusal = (typeof placeRefusals)[number]

/** A success with what was asked for, or a refusal. */
export type Result<Value, Code extends string> =
  | { readonly ok: true; readonly value: Value }
  | Refused<Code | PlaceRefusal>

/**
 * Why a path within a mount can name no secret, or no folder: it is empty, has an empty, `.` or `..` segment, or is too
 * long to be a key. Anything else is fine, `__proto__` included.
 *
 * @param key - the key it would have
 * @param kind - what the path is for: a `secret` to be written, one that is only `named`, or a `folder` to be listed
 */
export function pathProblem(
  key: string,
  path: string,
  kind: 'secret' | 'named' | 'folder' = 'secret',
): Refused<PathRefusal> | undefined {
  if (kind !== 'folder' && path === '') return refuse('path_missing', 'missing path')
  if (kind !== 'folder' && path.endsWith('/'))
    return refuse(
      'path_is_folder',
      kind === 'named'
        ? "a path ending in '/' names a folder, which can only be listed"
        : "cannot write to a path ending in '/'",
    )
  if (/(^|\/)(?:\/|\.{1,2}(?:\/|$))/.test(path))
    return refuse('path_segment', 'relative paths not supported: a path has no empty, "." or ".." segments')
  try {
    checkKey(key)
  } catch (error) {
    if (!isStoreError(error, 'invalid')) throw error
    return refuse(
      'path_too_long',
      'the path is not valid Unicode, or is longer than about 900 bytes of UTF-8',
    )
  }
  return undefined
}
