import * as z from 'zod'
import { nearest } from '../kernel/nearest.ts'
import type { Check } from './arguments.ts'
import { formatPath } from './format-path.ts'

/**
 * An object that takes the fields of its shape only: a misspelt one, which would be lost, is refused with the name that
 * was probably meant.
 *
 * @param what - what people call its fields
 */
export const strict = <Shape extends z.core.$ZodShape>(shape: Shape, what = 'field') =>
  z.strictObject(shape, { error: (issue) => noSuchField(issue, Object.keys(shape), what) })

/** An argument with these fields and no others: one that is misspelt would be as good as left out. */
export const fields = <Shape extends z.core.$ZodShape>(shape: Shape): Check => {
  const schema = strict(shape)
  return (given) => {
    const { error } = schema.safeParse(given)
    if (error === undefined) return undefined
    const { keys, message } = firstFault(error)
    return { path: keys, message }
  }
}

/** What is read may be given back with something changed: its other fields change nothing. */
export const asRead = ({ shape }: z.ZodObject): Record<string, z.ZodOptional> =>
  Object.fromEntries(Object.keys(shape).map((field) => [field, z.unknown().optional()]))

/** Any number, also what is none: for what is moved to where there is something. */
export const anyNumber = z.custom<number>((value) => typeof value === 'number', 'expected number')

function noSuchField(
  { code, keys }: { readonly code: string; readonly keys?: unknown },
  names: readonly string[],
  what: string,
): string | undefined {
  if (code !== 'unrecognized_keys') return undefined
  const unknown = unknownKey(keys)
  // The unit is what is most often left out: `ttl` for `ttlSeconds`.
  const meant = nearest(unknown, names) ?? names.find((name) => unknown !== '' && name.startsWith(unknown))
  return noSuch(what, meant)
}

/** What is wrong with a name that is not known. */
export const noSuch = (what: string, meant: string | undefined): string =>
  `there is no such ${what}${meant === undefined ? '' : `; did you mean ${meant}?`}`

/**
 * The first fault of a document: the path of the value, or of the unknown field, and what is wrong. A field
 * that is missing is often there, misspelt: the misspelling comes first.
 */
export function firstFault({ issues }: z.ZodError, at: readonly PropertyKey[] = []) {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  const field = issue?.code === 'unrecognized_keys' ? [unknownKey(issue.keys)] : []
  const keys = [...at, ...(issue?.path ?? []), ...field]
  return { keys, path: formatPath(keys), message: issue?.message ?? 'is not valid' }
}

const unknownKey = (keys: unknown): string => (Array.isArray(keys) ? String(keys[0]) : '')
