import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Refused, refuse } from '../../kernel/index.ts'

/** The maximum length of a short description, of a box or of a token. */
export const maxShortDescription = 1024
/** Maximum characters of a description; rendering is fast for any text of this length. */
export const maxDescription = 20_000

/**
 * Returns what is wrong with the user-written texts of a box or a version: their lengths are limited.
 *
 * @returns `undefined` if they are short enough
 *
 * @example
 * ```ts
 * import { textsProblem } from 'plinth/catalog'
 *
 * textsProblem({ shortDescription: 'A tiny box' }) // undefined
 * textsProblem({ shortDescription: 'a'.repeat(1025) })?.refusal.code // 'text_too_long'
 * ```
 */
export function textsProblem(texts: {
  readonly shortDescription?: string | undefined
  readonly description?: string | undefined
}): Refused<'text_too_long'> | undefined {
  checkArguments('texts', texts)
  if ((texts.shortDescription?.length ?? 0) > maxShortDescription)
    return refuse(
      'text_too_long',
      `Short description is too long (maximum is ${maxShortDescription} characters)`,
    )
  if ((texts.description?.length ?? 0) > maxDescription)
    return refuse('text_too_long', `Description is too long (maximum is ${maxDescription} characters)`)
  return undefined
}
