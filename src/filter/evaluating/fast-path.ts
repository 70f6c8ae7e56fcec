import type { Match, Selector } from '../ast.ts'
import { unwrap } from '../kinds/kind-of.ts'
import { findName, type Names } from '../kinds/names.ts'
import { anyShape, type Shape } from '../kinds/shape.ts'
import type { Decisions } from '../operators/decision.ts'
import type { PlainNumber, Subject } from '../operators/rules.ts'
import { testsOf } from '../operators/table.ts'
import { subjectOf, whenMissing } from '../operators/test-of.ts'
import type { Context } from './context.ts'

/**
 * The common case of comparisons: properties of plain objects, ending in a string, number, boolean or list. Both
 * evaluators try this first and leave the rest to the general tests; it never throws, and must never give another
 * result.
 */
export interface FastPath extends Decisions {
  /** The properties to read in order, each an own property of a plain object. */
  readonly keys: readonly string[]
  /** The result if the last key is absent, unless that is an error. */
  readonly missing: boolean | undefined
  /** For each key, whether a list before it stands for its items. */
  readonly lists: readonly boolean[]
}

/** The fast path of a match, from the datum or from a quantifier's element; `undefined` if it has none. */
export function fastPathOf(match: Match, context: Context, names: Names | undefined): FastPath | undefined {
  if (match.operand?.type === 'field') return undefined
  const read = fastReadOf(match.selector, context, names)
  if (read === undefined) return undefined
  const decisions = decisionsOf(subjectOf(match, context), unwrap(read.shape))
  if (decisions === undefined) return undefined
  const { keys, lists } = read
  return { keys, lists, missing: read.mayMiss ? whenMissing(match, context) : undefined, ...decisions }
}

/** The fast decision of an operator for a declared kind; `undefined` if it has none. */
function decisionsOf(subject: Subject, leaf: Shape): Decisions | undefined {
  const rules = testsOf[subject.match.op]
  const { type } = leaf
  const isAny = type === 'any'
  const plain = isAny ? 'float64' : plainNumbers.find((each) => each === type)
  const decisions = {
    string: isAny || type === 'string' ? rules.string?.(subject) : undefined,
    number: plain && rules.number?.(subject, plain),
    boolean: isAny || type === 'bool' ? rules.boolean?.(subject) : undefined,
    list: isAny || type === 'list' ? rules.list?.(subject, type === 'list' ? leaf.of : anyShape) : undefined,
  }
  const some = decisions.string ?? decisions.number ?? decisions.boolean ?? decisions.list
  return some === undefined ? undefined : decisions
}

const plainNumbers: readonly PlainNumber[] = ['float64', 'int', 'uint']

/** A selector that reads own properties, and the declared kind of its value. */
export interface FastRead {
  readonly keys: readonly string[]
  readonly shape: Shape
  /** Whether the last key may be absent without that being an error. */
  readonly mayMiss: boolean
  /** For each key, whether a list before it stands for its items. */
  readonly lists: readonly boolean[]
}

export function fastReadOf(
  selector: Selector,
  context: Context,
  names: Names | undefined,
): FastRead | undefined {
  const found = findName(selector, names)
  if (found?.role === 'key') return undefined
  const below = found === undefined ? 0 : 1
  const keys: string[] = []
  const lists: boolean[] = []
  let shape = found === undefined ? context.shape : found.element
  let inMap = false
  for (let at = below; at < selector.path.length; at += 1) {
    const segment = selector.path[at] ?? ''
    const goesThrough = context.standard && at > 0 && !isIndex(segment)
    let parent = unwrap(shape)
    let isPointer = shape.type === 'pointer'
    lists.push(goesThrough && (parent.type === 'any' || parent.type === 'list'))
    while (goesThrough && parent.type === 'list') {
      shape = parent.of
      isPointer ||= shape.type === 'pointer'
      parent = unwrap(shape)
    }
    const property = propertyOf(parent, segment)
    // Names that every object inherits use the general path, which reads own properties only.
    if (property === undefined || property in Object.prototype) return undefined
    keys.push(property)
    // A pointer to a list may hold a map instead, whose missing key is an error.
    inMap = !isPointer && parent.type !== 'struct'
    shape = shapeBelow(parent, segment)
  }
  const mayMiss =
    context.unknown === undefined && (context.missing !== 'error' || (inMap && keys.length + below > 1))
  return { keys, shape, lists: keys.length > MAX_THROUGH_LISTS ? [] : lists, mayMiss }
}

/** Generated code is written twice for each key that may follow a list. */
const MAX_THROUGH_LISTS = 4

/** Whether a segment may be the index of a list. */
const isIndex = (segment: string): boolean => /^$|^[+-]?\d/.test(segment)

const propertyOf = (parent: Shape, segment: string): string | undefined => {
  if (parent.type === 'any') return segment
  if (parent.type === 'map') return parent.intKeys ? undefined : segment
  if (parent.type !== 'struct') return undefined
  const field = parent.fields.get(segment)
  if (field === undefined) return parent.open ? segment : undefined
  return field.access === 'open' && field.of === undefined ? field.property : undefined
}

const shapeBelow = (parent: Shape, segment: string): Shape => {
  if (parent.type === 'map') return parent.of
  return (parent.type === 'struct' ? parent.fields.get(segment)?.shape : undefined) ?? anyShape
}
