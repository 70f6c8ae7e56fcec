import { nearest } from '../../kernel/nearest.ts'
import type { Selector } from '../ast.ts'
import { FilterError, type FilterErrorKind } from '../error.ts'
import type { Context } from '../evaluating/context.ts'
import { unwrap } from '../kinds/kind-of.ts'
import { findName, type Names } from '../kinds/names.ts'
import { selectorText } from '../writing/selector-text.ts'

/** The error of a selector that the declared kinds do not have. */
export function unknownSelector(
  selector: Selector,
  context: Context,
  names: Names | undefined,
): FilterError | undefined {
  const { path } = selector
  const { source, standard } = context
  const found = findName(selector, names)
  let shape = found === undefined ? context.shape : found.element
  const fail = (kind: FilterErrorKind, at: number, why: string, fix?: string) => {
    const suggestion =
      fix === undefined ? undefined : selectorText([...path.slice(0, at), fix, ...path.slice(at + 1)])
    return new FilterError(
      kind,
      standard
        ? `${source.slice(selector.start, selector.end)}: ${why}`
        : `error finding value in datum: /${path.join('/')} at part ${at}: ${why}`,
      source,
      selector,
      suggestion,
    )
  }
  if (found?.role === 'key' && path.length > 1) {
    return fail('type', 1, 'a key or an index has nothing below it')
  }
  for (let at = found === undefined ? 0 : 1; at < path.length; at += 1) {
    const segment = path[at] ?? ''
    shape = unwrap(shape)
    while (shape.type === 'list' && context.standard && !/^\d+$/.test(segment)) shape = unwrap(shape.of)
    if (shape.type === 'any') return undefined
    if (shape.type === 'struct') {
      const field = shape.fields.get(segment)
      if (field?.access === 'hidden') {
        return fail('type', at, `struct field ${JSON.stringify(segment)} is ignored and cannot be used`)
      }
      if (field?.access !== 'open') {
        if (field === undefined && shape.open) return undefined
        const usable = [...shape.fields].filter(([, { access }]) => access === 'open').map(([name]) => name)
        return fail(
          'not-found',
          at,
          `${standard ? 'there is no field' : "couldn't find key: struct field with name"} ${JSON.stringify(segment)}`,
          nearest(segment, usable),
        )
      }
      shape = field.shape
    } else if (shape.type === 'map' || shape.type === 'list') {
      const wantsInteger = shape.type === 'list' || shape.intKeys
      if (wantsInteger && !/^[+-]?\w*$/.test(segment)) {
        return fail('index-convert', at, `couldn't convert value ${JSON.stringify(segment)} to type int`)
      }
      shape = shape.of
    } else {
      return fail('not-indexable', at, `type ${shape.type} has no fields`)
    }
  }
  return undefined
}
