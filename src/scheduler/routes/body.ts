import type * as z from 'zod'
import { describeIssues } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { lookThrough, maxDepth } from '../wire/depth.ts'
import { foldNames } from '../wire/fold-names.ts'

/** The refusals of every body. */
export const bodies = ['body_empty', 'body_not_object'] as const

/**
 * Reads a body as its schema says, field names in any case and unknown ones ignored, as clients of this service
 * send them.
 *
 * @param what - what the body should be, for messages: `a node pool`
 * @param code - the refusal of a body whose fields do not fit
 */
export function readBody<Schema extends z.ZodType, const Code extends string>(
  schema: Schema,
  body: unknown,
  what: string,
  code: Code,
):
  | { readonly ok: true; readonly value: z.output<Schema> }
  | Refused<Code | 'body_empty' | 'body_not_object'> {
  if (body === undefined) return refuse('body_empty', 'Request body is empty')
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return refuse('body_not_object', `Request body must be a JSON object: ${what}`)
  const invalid = (problem: string) => refuse(code, `invalid ${what.replace(/^an? /, '')}: ${problem}`)
  if (lookThrough(body).isTooDeep) return invalid(`it is nested more than ${maxDepth} levels deep`)
  const parsed = schema.safeParse(foldNames(schema, body))
  return parsed.success ? { ok: true, value: parsed.data } : invalid(describeIssues(parsed.error))
}
