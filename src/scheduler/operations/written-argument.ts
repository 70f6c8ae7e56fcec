import type * as z from 'zod'
import type { ReadArgument } from '../../operation/arguments.ts'
import { alreadyParsed } from '../wire/already-parsed.ts'
import { lookThrough, maxDepth } from '../wire/depth.ts'

/**
 * An argument of which a person writes as much as they like: whatever was left out takes its default. What is whole
 * already is taken as it is.
 */
export function writtenArgument<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
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
      return issue ?? { value: data as z.output<Schema> } // there is one where nothing is wrong
    },
  }
}
