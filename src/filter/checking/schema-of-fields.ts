import { definition } from '../kinds/definition.ts'
import type { FilterSchema } from '../kinds/schema.ts'
import { selectorPath } from '../reading/selector-path.ts'
import type { FieldDescription } from './describe-fields.ts'

/** A field of a description, and those below it. */
interface Node {
  field?: FieldDescription
  readonly below: Map<string, Node>
}

/**
 * Makes a schema from the descriptions that `describeFields` returns, for a program that has only them: a page that got
 * them from its server as JSON.
 *
 * @remarks
 * It declares the same fields and kinds as the schema that was described, and `check` finds the same mistakes with it;
 * it cannot tell the elements of nested lists.
 *
 * @throws TypeError that names the first element which is not a description
 *
 * @example
 * ```ts
 * import { check, describeFields } from 'plinth/filter'
 * import { schemaOfFields } from 'plinth/filter/element'
 * import * as z from 'zod'
 *
 * const sent = JSON.stringify(describeFields(z.object({ Status: z.enum(['running', 'dead']) })))
 * check('Status == "runing"', schemaOfFields(JSON.parse(sent)))[0]?.suggestion // '"running"'
 * ```
 */
export function schemaOfFields<T = unknown>(fields: readonly FieldDescription[]): FilterSchema<T> {
  if (!Array.isArray(fields)) throw new TypeError('fields are an array, as describeFields returns them')
  const root: Node = { below: new Map() }
  fields.forEach((field: unknown, at) => {
    if (!isDescription(field)) throw new TypeError(`field ${at + 1} has no selector or no kind`)
    let node = root
    for (const name of selectorPath(field.selector)) {
      const next: Node = node.below.get(name) ?? { below: new Map() }
      node.below.set(name, next)
      node = next
    }
    node.field = field
  })
  return schemaOfNode(root) as FilterSchema<T>
}

const isDescription = (field: unknown): field is FieldDescription =>
  typeof field === 'object' &&
  field !== null &&
  'selector' in field &&
  typeof field.selector === 'string' &&
  'kind' in field &&
  typeof field.kind === 'string'

function schemaOfNode({ field, below }: Node): FilterSchema {
  const inner = (kind: FieldDescription['kind'] | undefined): FilterSchema => {
    if (below.size > 0 || kind === 'struct' || field === undefined)
      return definition({
        type: 'object',
        shape: Object.fromEntries([...below].map(([name, node]) => [name, schemaOfNode(node)])),
        // A description ends at some level; what is deeper is not known.
        catchall: definition({ type: below.size === 0 ? 'any' : 'never' }),
      })
    if (field.texts !== undefined) return definition({ type: 'literal', values: field.texts })
    return definition({ type: 'any' }, kind)
  }
  if (field === undefined) return inner('struct')
  const { kind, of, optional } = field
  const own =
    kind === 'list'
      ? definition({ type: 'array', element: inner(of) })
      : kind === 'map'
        ? definition({ type: 'record', keyType: definition({ type: 'string' }), valueType: inner(of) })
        : inner(kind)
  return optional ? definition({ type: 'optional', innerType: own }) : own
}
