import type * as z from 'zod'
import { nearest } from '../filter/nearest.ts'
import { formatPath } from './errors.ts'

/**
 * What a strict schema says of a field it does not know: which one was probably meant. For its `error` setting.
 *
 * @param names - the fields it knows
 */
export const noSuchField =
  (names: readonly string[]) =>
  ({ code, keys }: { readonly code: string; readonly keys?: unknown }): string | undefined => {
    if (code !== 'unrecognized_keys') return undefined
    const meant = nearest(unknownKey(keys), names)
    return `there is no such field${meant === undefined ? '' : `; did you mean ${meant}?`}`
  }

/** The first fault of a document: the path of the value, or of the field that nobody knows, and what is wrong. */
export function firstFault({ issues }: z.ZodError, at: readonly PropertyKey[]) {
  const [issue] = issues
  const field = issue?.code === 'unrecognized_keys' ? [unknownKey(issue.keys)] : []
  return {
    path: formatPath([...at, ...(issue?.path ?? []), ...field]),
    message: issue?.message ?? 'is not valid',
  }
}

const unknownKey = (keys: unknown): string => (Array.isArray(keys) ? String(keys[0]) : '')
