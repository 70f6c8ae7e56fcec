/**
 * The kind of a field, where neither a schema nor the value itself can tell. Names are Go's; a list, map or
 * struct is written as an object.
 *
 * @remarks
 * `time` is RFC 3339 text or a `Date`; `unix-ms` and `unix-ns` are numbers since 1970; `duration` is text such as
 * `1h30m`, or a number of nanoseconds. Strings have no order, except those of kind `ordered-string`, by code point. `number`
 * is another name of `float64`, and `boolean` of `bool`. `hidden` fields cannot be used. `any` takes the kind of each
 * value. A `pointer` is dereferenced, and an error if it is null; a null `optional` field follows the rules of a
 * missing map key.
 */
export type Kind =
  | KindName
  | 'any'
  | 'hidden'
  | { readonly list: Kind; readonly fixed?: boolean }
  | { readonly map: Kind; readonly key?: 'string' | 'int' }
  | { readonly struct: Kinds }
  | { readonly pointer: Kind }
  | { readonly optional: Kind }
  | {
      /** The property of the datum that this selector reads; the property's own name is then unusable. */
      readonly alias: string
      readonly kind?: Kind
    }

/**
 * The elementary kinds.
 */
export type ScalarKind =
  | 'string'
  | 'ordered-string'
  | 'bool'
  | 'int'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64'
  | 'bytes'
  | 'time'
  | 'unix-ms'
  | 'unix-ns'
  | 'duration'

/**
 * How a scalar kind is named where one is declared. Where fields are described it is a {@link ScalarKind}.
 */
export type KindName = ScalarKind | 'number' | 'boolean'

/**
 * Kinds by field name. Fields that are not named keep the kind of the schema, or of their value.
 */
export interface Kinds {
  readonly [field: string]: Kind
}

/**
 * Fields that rows do not have, by name: their kind, and the function that computes them. A row's own property of that
 * name cannot be used.
 */
export interface Computed<T> {
  readonly [field: string]: { readonly kind: Kind; of(row: T): unknown }
}

/** Negative, zero or positive, as a string is before another, equal to it or after it. */
export type TextOrder = (left: string, right: string) => number

/** The evaluator's form of a kind, from a schema or a declaration. */
export type Shape =
  | { readonly type: 'any' }
  | {
      readonly type: ScalarType
      readonly name: ScalarKind
      /** The only strings that the field may contain, if a schema lists them. */
      readonly texts?: readonly string[]
      /** How strings compare that have an order. */
      readonly order?: TextOrder
    }
  | { readonly type: 'list'; readonly of: Shape; readonly fixed: boolean }
  | { readonly type: 'map'; readonly of: Shape; readonly intKeys: boolean }
  | { readonly type: 'struct'; readonly fields: ReadonlyMap<string, FieldShape>; readonly open: boolean }
  | { readonly type: 'pointer'; readonly of: Shape }
  | { readonly type: 'optional'; readonly of: Shape }

/** The kinds that are evaluated each in its own way. */
export type ScalarType = Exclude<ScalarKind, 'ordered-string' | `${'int' | 'uint'}${8 | 16 | 32 | 64}`>

export interface FieldShape {
  /** The property of the datum that is read. */
  readonly property: string
  readonly shape: Shape
  /** A hidden field cannot be used; a renamed one is unknown under its old name. */
  readonly access: 'open' | 'hidden' | 'renamed'
  /** Computes the value from the row, which has no such property. */
  readonly of?: ((row: unknown) => unknown) | undefined
}

export const anyShape: Shape = { type: 'any' }

/** The one name of a kind that has two. */
export const plainName = <Name>(name: Name) =>
  (name === 'number' ? 'float64' : name === 'boolean' ? 'bool' : name) as Exclude<Name, 'number' | 'boolean'>

/** Integers of all widths are of one type. */
export const scalarShape = (name: ScalarKind): Shape => ({
  type: name.replace(/^(u?int).*/, '$1') as ScalarType, // the other names are types themselves
  name,
})

/** A quantifier's index is an integer, its key a string, and an element of bytes a byte. */
export const indexShape = scalarShape('int')
export const keyShape = scalarShape('string')
export const byteShape = scalarShape('uint8')
