import type { Field, Match, Selector } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Context } from '../evaluating/context.ts'
import type { Scope, Test } from '../evaluating/predicate.ts'
import { selectorClosure } from '../evaluating/selector-closure.ts'
import { fold } from '../kinds/fold.ts'
import { kindName, kindOf } from '../kinds/kind-of.ts'
import type { Names } from '../kinds/names.ts'
import { selectorText } from '../writing/selector-text.ts'
import type { Found } from './rules.ts'
import { testsOf } from './table.ts'

/** The test of `S == @T`, for one row at a time. */
export interface FieldTest {
  readonly test: Test
  /** Clears what the previous row was compared with. */
  readonly begin: () => void
}

/** How many values of one side are compared one by one with the other; for more, the other side is hashed. */
const few = 4

/** The test of `S == @T`: it follows the other selector from the same datum, and compares the values of both. */
export function fieldTestOf(
  match: Match,
  field: Field,
  context: Context,
  names: Names | undefined,
): FieldTest {
  const { ofFields } = testsOf[match.op]
  const sideOf = ({ path }: Selector, { value, shape }: Found): string =>
    `${selectorText(path)} (${kindName(value, shape)})`
  const compare: Test = (value, shape, along) => {
    const left = along as Found // the value of the left side, as passed below
    const right = { value, shape }
    // It takes a few times as long as others.
    context.work.spend(4, match)
    const result = ofFields?.(left, right, match, context)
    if (result !== undefined) return result
    throw new FilterError(
      'type',
      `cannot compare ${sideOf(match.selector, left)} with ${sideOf(field.selector, right)}`,
      context.source,
      match,
    )
  }
  const missing = context.missing === 'false' && match.negated
  const other = selectorClosure(field.selector, compare, missing, context, names)
  const test: Test = (value, shape, datum, scope) => other(datum, scope, { value, shape })
  if (match.op !== '==') return { test, begin: () => {} }

  let compared = 0
  let hashed: Hashed | undefined
  /** All values of the other side, if they have one plain type. */
  const collect = (datum: unknown, scope: Scope | undefined): Hashed => {
    const found = new Set<unknown>()
    let type: PlainType | undefined
    let isMixed = false
    const add: Test = (value, shape) => {
      context.work.spend(1, match)
      const one = plainType(value, shape)
      type ??= one
      isMixed ||= one === undefined || one !== type
      found.add(keyOf(value, match.ignoreCase))
      return isMixed
    }
    selectorClosure(field.selector, add, false, context, names)(datum, scope)
    return isMixed || type === undefined ? { type: undefined, found } : { type, found }
  }
  return {
    begin: () => {
      compared = 0
      hashed = undefined
    },
    test: (value, shape, datum, scope) => {
      compared += 1
      if (compared <= few) return test(value, shape, datum, scope)
      hashed ??= collect(datum, scope)
      if (hashed.type === undefined || hashed.type !== plainType(value, shape)) {
        return test(value, shape, datum, scope)
      }
      context.work.spend(1, match)
      return hashed.found.has(keyOf(value, match.ignoreCase))
    },
  }
}

type PlainType = 'string' | 'number' | 'boolean'

/** One side of a comparison, hashed; without a type if its values have to be compared one by one. */
interface Hashed {
  readonly type: PlainType | undefined
  readonly found: ReadonlySet<unknown>
}

/** The type of a value for which JavaScript's equality is right. */
function plainType(value: unknown, shape: Found['shape']): PlainType | undefined {
  const kind = kindOf(value, shape)
  if (kind === 'string') return 'string'
  if (kind === 'bool') return 'boolean'
  const isPlain = kind === 'float64' || kind === 'int' || kind === 'uint'
  return isPlain && typeof value === 'number' && !Number.isNaN(value) ? 'number' : undefined
}

const keyOf = (value: unknown, ignoreCase: boolean): unknown =>
  ignoreCase && typeof value === 'string' ? fold(value) : value
