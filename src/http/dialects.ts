import * as z from 'zod'
import type { Refusal } from '../kernel/index.ts'
import type { Schema } from './route.ts'

/**
 * The format of a service's error bodies.
 */
export interface ErrorDialect {
  (refusal: Refusal, status: number): { readonly content: string; readonly type: string | undefined }
  /** The schema of its error bodies, for the documentation; plain text without one. */
  readonly schema?: Schema | undefined
}

/** The messages of a refusal, which may be several; an empty message gives none. */
const lines = ({ message, detail }: Refusal): readonly string[] => {
  const listed = detail?.['errors']
  if (Array.isArray(listed)) return listed.map(String)
  return message === '' ? [] : [message]
}

const Errors = z.object({ errors: z.array(z.string()) }).meta({ id: 'Errors' })

/**
 * Formats a refusal as `{"errors":["…"]}`, like the secrets service and the module registry.
 *
 * @remarks
 * A refusal with a list in `detail.errors` returns each of them; an empty message gives an empty list.
 *
 * @example
 * ```ts
 * import { errorsArray } from 'plinth/http'
 *
 * errorsArray({ code: 'taken', message: 'the name is taken' }, 400).content // '{"errors":["the name is taken"]}'
 * ```
 */
export const errorsArray: ErrorDialect = Object.assign(
  (refusal: Refusal) => ({ content: JSON.stringify({ errors: lines(refusal) }), type: 'application/json' }),
  { schema: Errors },
)

/**
 * Formats a refusal as `{"errors":["…"],"success":false}`, like the box catalog.
 *
 * @example
 * ```ts
 * import { errorsWithSuccess } from 'plinth/http'
 *
 * errorsWithSuccess({ code: 'gone', message: 'it is gone' }, 404).content // '{"errors":["it is gone"],"success":false}'
 * ```
 */
export const errorsWithSuccess: ErrorDialect = Object.assign(
  (refusal: Refusal) => ({
    content: JSON.stringify({ errors: lines(refusal), success: false }),
    type: 'application/json',
  }),
  { schema: Errors.extend({ success: z.literal(false) }).meta({ id: 'Errors' }) },
)

/**
 * Formats a refusal as its bare message, like the job scheduler. An empty message sends an empty body.
 *
 * @example
 * ```ts
 * import { plainText } from 'plinth/http'
 *
 * plainText({ code: 'gone', message: 'job not found' }, 404).content // 'job not found'
 * ```
 */
export const plainText: ErrorDialect = ({ message }) => ({
  content: message,
  type: message === '' ? undefined : 'text/plain; charset=utf-8',
})
