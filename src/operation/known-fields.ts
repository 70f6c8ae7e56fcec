import * as z from 'zod'
import { nearest } from '../kernel/nearest.ts'
import type { Check } from './arguments.ts'
import { formatPath } from './format-path.ts'

/**
 * An object with the fields of its shape only: a misspelt field, which would be ignored, is refused with the probable
 * name.
 *
 * @param what - the noun for a field in messages
 */
export const strict = <Shape extends z.core.$ZodShape>(shape: Shape, what = 'field') =>
  z.strictObject(shape, { error: (issue) => noSuchField(issue, Object.keys(shape), what) })

/** An argument with these fields only: a misspelt one would have no effect. */
export const fields = <Shape extends z.core.$ZodShape>(shape: Shape): Check => {
  const schema = strict(shape)
  return (given) => {
    const { error } = schema.safeParse(given)
    if (error === undefined) return undefined
    const { keys, message } = firstFault(error)
    return { path: keys, message }
  }
}

/** Records that were read can be passed back with changes: fields that the service ignores are allowed. */
export const asRead = ({ shape }: z.ZodObject): Record<string, z.ZodOptional> =>
  Object.fromEntries(Object.keys(shape).map((field) => [field, z.unknown().optional()]))

/** Any number, even an invalid one: for options that are clamped to a valid value. */
export const anyNumber = z.custom<number>((value) => typeof value === 'number', 'expected number')

function noSuchField(
  { code, keys }: { readonly code: string; readonly keys?: unknown },
  names: readonly string[],
  what: string,
): string | undefined {
  if (code !== 'unrecognized_keys') return undefined
  const unknown = unknownKey(keys)
  // The unit is the part that callers most often omit: `ttl` for `ttlSeconds`.
  const meant = nearest(unknown, names) ?? names.find((name) => unknown !== '' && name.startsWith(unknown))
  return noSuch(what, meant)
}

/** The problem of an unknown name. */
export const noSuch = (what: string, meant: string | undefined): string =>
  `there is no such ${what}${meant === undefined ? '' : `; did you mean ${meant}?`}`

/**
 * The first problem of a document: the path of the value or of the unknown field, and the problem. A missing field is
 * often present but misspelt, so the misspelling comes first.
 */
export function firstFault({ issues }: z.ZodError, at: readonly PropertyKey[] = []) {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  const field = issue?.code === 'unrecognized_keys' ? [unknownKey(issue.keys)] : []
  const keys = [...at, ...(issue?.path ?? []), ...field]
  return { keys, path: formatPath(keys), message: issue?.message ?? 'is not valid' }
}

const unknownKey = (keys: unknown): string => (Array.isArray(keys) ? String(keys[0]) : '')
