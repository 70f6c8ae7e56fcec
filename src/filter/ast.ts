/**
 * A parsed filter expression: plain JSON data. `start` and `end` are UTF-16 offsets into the text it was read
 * from, half open.
 */
export type Expression = Connective | Negation | Match | Quantifier

/**
 * The position of a node in the text: UTF-16 offsets, half open.
 */
export interface Range {
  /** Offset of the node's first UTF-16 unit. */
  readonly start: number
  /** Offset after the node. */
  readonly end: number
}

/**
 * Two or more operands under one `and` or `or`, evaluated from left to right until one decides.
 */
export interface Connective extends Range {
  readonly type: 'and' | 'or'
  readonly operands: readonly Expression[]
}

/**
 * `not operand`.
 */
export interface Negation extends Range {
  readonly type: 'not'
  readonly operand: Expression
}

/**
 * The test of a {@link Match}, in its positive form. `in` is written both `V in S` and `S contains V`; `one of` is
 * `S in [V, …]`; `count >` is `count S > V`; a boolean field alone is `is true`; `is missing` and `== null` are a negated
 * `is present`.
 */
export type Operator =
  | '=='
  | 'in'
  | 'matches'
  | 'is empty'
  | 'is nil'
  | 'is present'
  | 'one of'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'between'
  | 'starts with'
  | 'ends with'
  | 'is true'
  | 'is false'
  | 'count =='
  | 'count <'
  | 'count <='
  | 'count >'
  | 'count >='

/**
 * One comparison of a selected value.
 */
export interface Match extends Range {
  readonly type: 'match'
  readonly selector: Selector
  readonly op: Operator
  /** Whether the operator was written in its negative form: `!=`, `not in`, `is not empty`, … */
  readonly negated: boolean
  /** The right-hand side: two values for `between`, `null` for `is empty` and similar tests. */
  readonly operand: Value | Values | Field | null
  /** Whether upper and lower case are one. */
  readonly ignoreCase: boolean
}

/**
 * `any S as names { body }`, and also `all` and `none`: has either `name`, or `key` and `value` (each of which may be
 * `null` for `_`). Without names, `value` is `@`.
 */
export interface Quantifier extends Range {
  readonly type: 'any' | 'all' | 'none'
  readonly selector: Selector
  /** The single name: the element of a list, the key of a map. */
  readonly name: string | null
  /** The first of two names: the index or key. */
  readonly key: string | null
  /** The second of two names: the element. */
  readonly value: string | null
  readonly body: Expression
}

/**
 * A path into the datum, by names, keys and list indexes as they were written.
 */
export interface Selector extends Range {
  readonly path: readonly string[]
}

/**
 * A literal. Its text is turned into a number, boolean, … when the kind of the selected field is known.
 */
export interface Value extends Range {
  readonly type: 'value'
  /**
   * How it was written: as a number, as a string or bare word, as a moment (`now - 1h`), or as a parameter (`$since`),
   * whose name is the text.
   */
  readonly form: 'string' | 'number' | 'moment' | 'parameter'
  readonly text: string
}

/**
 * A list of literals: `["a", "b"]`.
 */
export interface Values extends Range {
  readonly type: 'values'
  readonly values: readonly Value[]
}

/**
 * Another field of the same datum: `@Owner.Name`.
 */
export interface Field extends Range {
  readonly type: 'field'
  readonly selector: Selector
}
