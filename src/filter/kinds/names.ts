import type { Quantifier, Selector } from '../ast.ts'
import { unwrap } from './kind-of.ts'
import { anyShape, byteShape, indexShape, keyShape, type Shape } from './shape.ts'

/** The declared kinds of the datum; in `standard` a path may lead through lists. */
export interface Declared {
  readonly shape: Shape
  readonly standard: boolean
}

/** The names that the surrounding quantifiers define, innermost first. */
export interface Names {
  readonly quantifier: Quantifier
  /** The kind of the elements, if the collection's kind is known. */
  readonly element: Shape
  /** Whether the names are of a list or of a map, if the collection's kind is known. */
  readonly over: 'list' | 'map' | 'either'
  readonly outer: Names | undefined
}

/** The quantifier's name that a selector begins with. */
export interface FoundName {
  /** The number of quantifiers in between. */
  readonly depth: number
  readonly role: 'name' | 'key' | 'value'
  readonly element: Shape
}

const keyShapes = { map: keyShape, list: indexShape, either: anyShape }

/** The quantifier that defines the name a selector begins with. Inner names shadow outer ones, and fields. */
export function findName(selector: Selector, names: Names | undefined): FoundName | undefined {
  const [first] = selector.path
  let depth = 0
  for (let at = names; at !== undefined; at = at.outer) {
    const { name, key, value } = at.quantifier
    const isName = first === name
    if (isName ? at.over === 'map' : first === key && first !== value)
      return { depth, role: 'key', element: keyShapes[at.over] }
    if (isName || first === value) return { depth, role: isName ? 'name' : 'value', element: at.element }
    depth += 1
  }
  return undefined
}

/** The names in the body of a quantifier. */
export function namesOf(quantifier: Quantifier, declared: Declared, outer: Names | undefined): Names {
  const collection = unwrap(shapeAt(quantifier.selector, declared, outer))
  const { type } = collection
  if (type === 'list' || type === 'map') return { quantifier, element: collection.of, over: type, outer }
  return type === 'bytes'
    ? { quantifier, element: byteShape, over: 'list', outer }
    : { quantifier, element: anyShape, over: 'either', outer }
}

/** The declared kind of a selector's value; `any` if none is declared. */
export function shapeAt(selector: Selector, declared: Declared, names: Names | undefined): Shape {
  const found = findName(selector, names)
  let shape = found === undefined ? declared.shape : found.element
  for (const segment of selector.path.slice(found === undefined ? 0 : 1)) {
    shape = unwrap(shape)
    while (shape.type === 'list' && declared.standard && !/^\d+$/.test(segment)) shape = unwrap(shape.of)
    shape =
      shape.type === 'struct'
        ? (shape.fields.get(segment)?.shape ?? anyShape)
        : shape.type === 'map' || shape.type === 'list'
          ? shape.of
          : anyShape
  }
  return shape
}
