import type { Scalars } from './scalars.ts'
import { type KindName, plainName } from './shape.ts'

/**
 * The kind of a parameter, by any of its names.
 */
export type ParameterKind = Extract<
  KindName,
  'string' | 'number' | 'float64' | 'int' | 'boolean' | 'bool' | 'time' | 'duration'
>

/** The kinds of parameters, each by one name. */
export type PlainParameterKind = Exclude<ParameterKind, 'number' | 'boolean'>

/**
 * The parameters that an expression may use, by name: `{ since: 'time' }` for `$since`.
 */
export type Parameters = Readonly<Record<string, ParameterKind>>

/**
 * Values for parameters, by name. A time is a `Date` or an RFC 3339 string, a duration a string such as `1h30m`.
 */
export type ParameterValues = Readonly<Record<string, string | number | bigint | boolean | Date>>

/** The placeholder for the value of a parameter while an expression is checked. */
export interface Placeholder {
  /** A text of the kind. */
  readonly sample: string
  /** The kind, with its article. */
  readonly name: string
  readonly fits: (kind: keyof Scalars) => boolean
}

const numbers: readonly (keyof Scalars)[] = ['float32', 'float64', 'int', 'uint']

const placeholders: Readonly<Record<PlainParameterKind, Placeholder>> = {
  string: { sample: '', name: 'a string', fits: () => false },
  float64: { sample: '0', name: 'a number', fits: (kind) => numbers.includes(kind) },
  int: { sample: '0', name: 'an int', fits: (kind) => numbers.includes(kind) },
  bool: { sample: 'true', name: 'a boolean', fits: (kind) => kind === 'bool' },
  time: {
    sample: '1970-01-01T00:00:00Z',
    name: 'a time',
    fits: (kind) => kind === 'time' || kind === 'unix-ms' || kind === 'unix-ns',
  },
  duration: { sample: '0s', name: 'a duration', fits: (kind) => kind === 'duration' },
}

export const placeholderOf = (name: string, parameters: Parameters | undefined): Placeholder =>
  placeholders[plainName((parameters && Object.hasOwn(parameters, name) && parameters[name]) || 'string')]

/** The kinds that a parameter may have. */
export const parameterKinds = Object.keys(placeholders)
