import type * as z from 'zod'
import { formatPath } from '../operation/format-path.ts'

/**
 * The refusals of the edge itself, before or around a service's own refusals.
 */
export type EdgeCode =
  | 'no_route'
  | 'method_not_allowed'
  | 'malformed_path'
  | 'invalid_params'
  | 'invalid_query'
  | 'invalid_body'
  | 'body_not_json'
  | 'body_too_large'
  | 'too_many_values'
  | 'too_busy'
  | 'unavailable'
  | 'outcome_unknown'
  | 'storage_full'
  | 'internal'

/**
 * The usual status of each edge refusal; a service overrides a row in its own table.
 */
export const edgeStatus = {
  no_route: 404,
  method_not_allowed: 405,
  malformed_path: 400,
  invalid_params: 400,
  invalid_query: 400,
  invalid_body: 400,
  body_not_json: 400,
  body_too_large: 413,
  too_many_values: 413,
  too_busy: 503,
  unavailable: 503,
  outcome_unknown: 503,
  storage_full: 507,
  internal: 500,
} as const satisfies Readonly<Record<EdgeCode, number>>

/**
 * Formats the issues of a schema in one line, each with its path: `versions[0].source: expected string`.
 *
 * @param limit - how many problems to name before `and N more`
 *
 * @example
 * ```ts
 * import { describeIssues } from 'plinth/http'
 * import { z } from 'zod'
 *
 * const read = z.object({ tags: z.array(z.string()) }).safeParse({ tags: ['a', 7] })
 * const problems = read.success ? '' : describeIssues(read.error)
 * problems // 'tags[1]: Invalid input: expected string, received number'
 * ```
 */
export function describeIssues(error: z.ZodError, limit = 3): string {
  const shown = error.issues.slice(0, limit).map(({ path, message }) => {
    const where = formatPath(path)
    return where === '' ? message : `${where}: ${message}`
  })
  const more = error.issues.length - shown.length
  return more > 0 ? `${shown.join('; ')}; and ${more} more` : shown.join('; ')
}
