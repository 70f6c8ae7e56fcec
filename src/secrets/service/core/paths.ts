import { type Refused, refuse } from '../../../kernel/index.ts'
import { utf8Length } from '../../../store/port/keys.ts'
import type { KeptPath } from './path-key.ts'

/** Why a path cannot be that of a secret. */
export type PathRefusal = 'path_missing' | 'path_is_folder' | 'path_segment' | 'path_too_long'

/** The refusals of every command on a mount. */
export const placeRefusals = [
  'mount_gone',
  'path_missing',
  'path_is_folder',
  'path_segment',
  'path_too_long',
  'secret_too_large',
] as const

/** Refusals of every operation at a path within a mount. */
export type PlaceRefusal = (typeof placeRefusals)[number]

/** A success with what was asked for, or a refusal. */
export type Result<Value, Code extends string> =
  | { readonly ok: true; readonly value: Value }
  | Refused<Code | PlaceRefusal>

/** Bytes of a path within a mount, in UTF-8. */
const longestPath = 4096

/**
 * Why a path within a mount is not valid for a secret or a folder: it is empty, has an empty, `.` or `..` segment, or
 * is too long. Anything else is allowed, `__proto__` included.
 *
 * @param kind - the use of the path: a `secret` to be written, one that is only `named`, or a `folder` to be listed
 */
export function pathProblem(
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
  return pathTooLong(path)
}

/** Why a path can never be stored: it is too long, or not valid Unicode. */
export function pathTooLong(path: string): Refused<'path_too_long'> | undefined {
  const bytes = utf8Length(path)
  if (bytes > longestPath)
    return refuse('path_too_long', `a path has at most 4096 bytes of UTF-8 within its mount, not ${bytes}`)
  return bytes > path.length && /\p{Cs}/u.test(path)
    ? refuse('path_too_long', 'the path is not valid Unicode')
    : undefined
}

/**
 * The refusal of a write to a path whose key is used by another: both are long, have the same head and the same
 * SHA-256. Reads treat the second one as absent.
 */
export const pathCollision = (
  kept: KeptPath | undefined,
  path: string,
): Refused<'path_too_long'> | undefined =>
  kept === undefined || kept.path === path
    ? undefined
    : refuse('path_too_long', 'the path has the same digest as another long path: use a shorter path')
