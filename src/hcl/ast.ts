/**
 * A position in a text; both count from 1, columns in UTF-16 units.
 */
export interface Position {
  readonly line: number
  readonly column: number
}

/**
 * A name or a label, and its position.
 */
export interface Key {
  readonly text: string
  readonly at: Position
}

/**
 * `name = value`, or a block: `type "label" { … }`, whose keys are its type and its labels.
 */
export interface Entry {
  readonly keys: readonly Key[]
  readonly value: Value
  /** Whether the value was assigned with a sign, as JSON always does, or is the body of a block. */
  readonly assigned: boolean
  readonly at: Position
}

/**
 * The entries of a document, of a block, or of an object value, in the order of the text.
 */
export interface Body {
  readonly kind: 'object'
  readonly entries: readonly Entry[]
  readonly at: Position
}

/**
 * A value and its position.
 */
export type Value =
  | Body
  | { readonly kind: 'list'; readonly items: readonly Value[]; readonly at: Position }
  | { readonly kind: 'string'; readonly value: string; readonly at: Position }
  | { readonly kind: 'number'; readonly value: number; readonly at: Position }
  | { readonly kind: 'bool'; readonly value: boolean; readonly at: Position }
  | { readonly kind: 'null'; readonly value: null; readonly at: Position }
