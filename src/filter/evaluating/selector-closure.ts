import type { Selector } from '../ast.ts'
import { FilterError } from '../error.ts'
import { findName, type Names } from '../kinds/names.ts'
import { indexShape, keyShape } from '../kinds/shape.ts'
import type { Context } from './context.ts'
import { descender } from './descend.ts'
import type { Scope, Test } from './predicate.ts'

/** A check that passes its argument to the test, or else the datum. */
type SelectorCheck = (datum: unknown, scope?: Scope, along?: unknown) => boolean

/** Follows a selector, from the datum or from a quantifier's name, and tests the value. */
export function selectorClosure(
  selector: Selector,
  test: Test,
  missing: boolean,
  context: Context,
  names: Names | undefined,
): SelectorCheck {
  const found = findName(selector, names)
  if (found === undefined) {
    const follow = descender(selector, 0, test, missing, context)
    return (datum, scope, along = datum) => follow(datum, context.shape, along, scope)
  }
  const { depth, role, element } = found
  const follow = descender(selector, 1, test, missing, context)
  const belowKey = selector.path.length > 1
  const key = (scope: Scope, along: unknown, innermost: Scope | undefined): boolean => {
    if (!belowKey)
      return test(scope.key, typeof scope.key === 'number' ? indexShape : keyShape, along, innermost)
    const [name = ''] = selector.path
    throw new FilterError(
      'type',
      `/${name} references a ${typeof scope.key === 'number' ? 'int' : 'string'} so /${selector.path.join('/')} is invalid`,
      context.source,
      selector,
    )
  }
  return (datum, innermost, along = datum) => {
    let scope = innermost
    for (let out = 0; out < depth; out += 1) scope = scope?.outer
    if (scope === undefined) return missing
    if (role === 'key' || (role === 'name' && typeof scope.key === 'string'))
      return key(scope, along, innermost)
    return follow(scope.element, element, along, innermost)
  }
}
