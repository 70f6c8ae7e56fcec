import type * as z from 'zod'
import type { ReadArgument } from '../../operation/arguments.ts'
import { noSuch } from '../../operation/known-fields.ts'
import { alreadyParsed } from '../wire/already-parsed.ts'
import { lookThrough, maxDepth } from '../wire/depth.ts'
import { spelledExactly, unknownFields } from '../wire/unread-fields.ts'

/**
 * An argument of which a person writes as much as they like: whatever was left out takes its default. What is whole
 * already is taken as it is. A field that says something and that nothing reads, which is probably misspelt, is refused.
 *
 * @param shown - what reads answer with: it may be given back, and its other fields change nothing
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
      // A field that is missing is often there, misspelt: the misspelling comes first.
      if (unknown !== undefined)
        return { path: unknown.path, message: noSuch('field', unknown.nearestName()) }
      return issue ?? { value: data as z.output<Schema> } // there is one where nothing is wrong
    },
  }
}
