import type * as z from 'zod'
import type { ReadArgument } from '../../operation/arguments.ts'
import { noSuch } from '../../operation/known-fields.ts'
import { alreadyParsed } from '../wire/already-parsed.ts'
import { lookThrough, maxDepth } from '../wire/depth.ts'
import { spelledExactly, unknownFields } from '../wire/unread-fields.ts'

/**
 * An argument with optional fields: missing fields take their defaults, and a complete value is used unchanged. An
 * unknown field that is not empty is probably misspelt, and is refused.
 *
 * @param shown - the schema of answers: they may be passed back, and their other fields are ignored
 */
export function writtenArgument<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  shown: z.ZodType = schema,
): ReadArgument<z.input<Schema>, z.output<Schema>> {
  const isWhole = alreadyParsed(schema)
  return {
    name,
    read: (given) => {
      if (isWhole(given)) return { value: given }
      if (lookThrough(given).isTooDeep)
        return { path: [], message: `nested more than ${maxDepth} levels deep` }
      const { data, error } = schema.safeParse(given)
      const [issue] = error?.issues ?? []
      const [unknown] = unknownFields(shown, given, spelledExactly)
      // A missing field is often present but misspelt: report the misspelling first.
      if (unknown !== undefined)
        return { path: unknown.path, message: noSuch('field', unknown.nearestName()) }
      return issue ?? { value: data as z.output<Schema> } // there is one for a valid value
    },
  }
}
