import { type Misfit, parseBoolean, parseFloating, parseInteger, parseTime } from './coerce.ts'
import type { ValueKind } from './kind-of.ts'
import type { Shape } from './shape.ts'

/** The value of a text, or why it is not valid. */
export type Read = number | bigint | boolean | Misfit

/** A kind whose values are not any text: how a text is read as one, and how its values compare. */
export interface Scalar {
  readonly read: (text: string) => Read
  /** What a text should have been. */
  readonly wanted: string
  /** What its values are counted on; kinds of one scale compare with each other. Truth values have no order. */
  readonly scale?: 'number' | 'moment' | 'duration'
  /** A number of it on the scale, where that counts otherwise: moments in microseconds. */
  readonly onScale?: (number: number) => number
  /** The other way round. */
  readonly fromScale?: (number: number) => number
}

/** The scalar kinds that a compiler knows. */
export type Scalars = Readonly<Partial<Record<ValueKind | Shape['type'], Scalar>>>

export const aTime = 'a time such as 2026-01-31T12:00:00Z'

/** The kinds that values have by themselves. */
export const ownScalars: Scalars = {
  int: { read: (text) => parseInteger(text, false), wanted: 'an integer', scale: 'number' },
  uint: {
    read: (text) => parseInteger(text, true),
    wanted: 'an integer without a sign',
    scale: 'number',
  },
  float64: { read: parseFloating, wanted: 'a number', scale: 'number' },
  bool: { read: parseBoolean, wanted: 'true or false' },
  time: { read: parseTime, wanted: aTime, scale: 'moment' },
}
