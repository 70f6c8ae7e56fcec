import type { Expression, Selector } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Context } from '../evaluating/context.ts'
import { unwrap } from '../kinds/kind-of.ts'
import { anyShape } from '../kinds/shape.ts'
import { read } from '../reading/read.ts'

/**
 * The properties that a path reads, without declared kinds: a declared null is counted like any other.
 *
 * @throws {@link FilterError} of kind `parse` for an invalid path, of kind `not-found` for an undeclared field
 */
export function facetPath(path: string, { shape: declared, standard }: Context): Selector {
  const range = { start: 0, end: path.length }
  const tree = testOfPath(path, standard)
  if (tree?.type !== 'match' || tree.op !== 'is empty' || tree.negated)
    throw new FilterError('parse', `${JSON.stringify(path)} is not the path of a field`, path, range)
  let shape = declared
  const properties = tree.selector.path.map((segment) => {
    let parent = unwrap(shape)
    while (standard && parent.type === 'list' && !/^\d+$/.test(segment)) parent = unwrap(parent.of)
    shape = anyShape
    if (parent.type === 'map' || parent.type === 'list') shape = parent.of
    if (parent.type !== 'struct') return segment
    const field = parent.fields.get(segment)
    if (field === undefined ? !parent.open : field.access !== 'open' || field.of !== undefined)
      throw new FilterError('not-found', `${path}: there is no field ${JSON.stringify(segment)}`, path, range)
    shape = field?.shape ?? anyShape
    return field?.property ?? segment
  })
  return { path: properties, ...range }
}

function testOfPath(path: string, standard: boolean): Expression | undefined {
  try {
    return read(`${path} is empty`, { dialect: standard ? 'standard' : 'bexpr' }, undefined)
  } catch {
    return undefined
  }
}
