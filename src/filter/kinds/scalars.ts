import { type Misfit, parseBoolean, parseFloating, parseInteger, parseTime } from './coerce.ts'
import type { ValueKind } from './kind-of.ts'
import type { Shape } from './shape.ts'

/** The value of a text, or why it is not valid. */
export type Read = number | bigint | boolean | Misfit

/** A kind whose values are restricted: how a text is parsed as one, and how its values compare. */
export interface Scalar {
  readonly read: (text: string) => Read
  /** What a text should have been. */
  readonly wanted: string
  /** The scale of its values; kinds of one scale can be compared. Booleans have no order. */
  readonly scale?: 'number' | 'moment' | 'duration'
  /** Converts a number to the scale, if its unit differs: moments are in microseconds. */
  readonly onScale?: (number: number) => number
  /** The reverse. */
  readonly fromScale?: (number: number) => number
}

/** The scalar kinds of a compiler. */
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
