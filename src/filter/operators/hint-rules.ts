import type { Match } from '../ast.ts'
import { unwrap } from '../kinds/kind-of.ts'
import type { Shape } from '../kinds/shape.ts'
import type { Literal, LiteralContext } from './literal.ts'
import type { MatchContext } from './rules.ts'
import { typedValue } from './typed-value.ts'

type HintValue = string | number | bigint | boolean | null

/** A comparison that holds for every row that matches the filter. */
export interface HintSubject {
  readonly match: Match
  readonly literals: readonly Literal[]
  readonly ignoreCase: boolean
  /** The declared kind of the field. */
  readonly shape: Shape
  readonly context: MatchContext & LiteralContext
}

/** The index hint of a positive comparison, if any. */
export type HintRule = (
  subject: HintSubject,
) => { readonly op: 'eq' | 'prefix' | 'in' | 'range'; readonly values: readonly HintValue[] } | undefined

/**
 * The literals to compare a field with, if every value of the field compares the same way: not strings that also parse
 * as a number, a boolean or a time.
 */
export function unambiguous({ literals, shape, ignoreCase }: HintSubject): HintValue[] | undefined {
  const { type } = unwrap(shape)
  // A rounded value equals other values, too, and so does one whose case is ignored.
  if (ignoreCase || type === 'float32' || literals.some(({ moves }) => moves)) return undefined
  if (type === 'any' && literals.some(hasReadings)) return undefined
  return literals.map((literal) => typedValue(literal, shape, false))
}

const hasReadings = (literal: Literal): boolean =>
  (['float64', 'int', 'bool', 'time'] as const).some((kind) => typeof literal.read(kind) !== 'string')

/** The ends of a range; `null` for an end that moves with the clock. */
export function numericBounds(
  { literals, shape }: HintSubject,
  end: 'least' | 'most' | 'both',
): HintValue[] | undefined {
  const { type } = unwrap(shape)
  if (type === 'float32') return undefined
  const bounds = literals.map((literal, at) => {
    const isMost = end === 'most' || at === 1
    if (isMost && literal.moves) return null
    if (type !== 'any') return typedValue(literal, shape, true)
    // Integers and floats parse some texts differently: `010`.
    const readings = new Set(
      [literal.read('float64'), literal.read('int')].filter((read) => read !== 'syntax'),
    )
    if (readings.size > 1) return null
    return typedValue(literal, shape, true)
  })
  return bounds.every((bound) => bound === null || Number.isNaN(bound)) ? undefined : bounds
}
