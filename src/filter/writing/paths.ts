/** What a selector ends at and goes no further. */
type Scalar = string | number | bigint | boolean | Date | Uint8Array

/** The depth to which selectors are spelt out, so that a type that contains itself has an end. */
type Deeper = [never, 0, 1, 2, 3, 4]

/**
 * The selectors of a datum's type: `Status`, `Meta.team`, `Meta["region.zone"]`, and through lists, whose items
 * are meant one by one, `Disks.SizeGB`. Five levels deep.
 */
export type SelectorOf<T, Depth extends number = 5> = [Depth] extends [never]
  ? never
  : T extends Scalar
    ? never
    : T extends readonly (infer Item)[]
      ? SelectorOf<NonNullable<Item>, Depth>
      : T extends object
        ? {
            [Name in keyof T & string]: string extends Name
              ? string
              : Name | `${Name}${Below<NonNullable<T[Name]>, Deeper[Depth]>}`
          }[keyof T & string]
        : never

type Below<T, Depth extends number> = T extends Scalar
  ? never
  : T extends readonly (infer Item)[]
    ? Below<NonNullable<Item>, Depth> | `.${number}`
    : string extends keyof T
      ? `.${string}` | `["${string}"]`
      : `.${SelectorOf<T, Depth>}`

/**
 * What a selector finds.
 */
export type Selected<T, Path extends string> = T extends readonly (infer Item)[]
  ? Path extends `${number}.${infer Rest}`
    ? Selected<NonNullable<Item>, Rest>
    : Path extends `${number}`
      ? Item
      : Selected<NonNullable<Item>, Path>
  : Path extends keyof T
    ? T[Path]
    : Path extends `${infer Name}["${infer Rest}`
      ? Name extends keyof T
        ? SelectedKey<NonNullable<T[Name]>, Rest>
        : never
      : Path extends `${infer Name}.${infer Rest}`
        ? Name extends keyof T
          ? Selected<NonNullable<T[Name]>, Rest>
          : never
        : string extends keyof T
          ? T[string & keyof T]
          : never

type SelectedKey<T, Rest extends string> = Rest extends `${string}"].${infer Further}`
  ? Selected<NonNullable<T[keyof T]>, Further>
  : T[keyof T]

/**
 * What a selected field can be compared with: its own type, without null; nothing for lists, maps and objects.
 */
export type Comparable<Found> = [NonNullable<Found>] extends [string]
  ? NonNullable<Found>
  : [NonNullable<Found>] extends [number | bigint]
    ? number | bigint
    : [NonNullable<Found>] extends [boolean]
      ? boolean
      : [NonNullable<Found>] extends [Date]
        ? Date | string
        : [NonNullable<Found>] extends [Scalar]
          ? string | number | boolean
          : unknown extends Found
            ? string | number | bigint | boolean | Date
            : never

/**
 * What a selected field can contain: an element of a list, a key of a map, a part of a text.
 */
export type Containable<Found> =
  NonNullable<Found> extends readonly (infer Item)[]
    ? Comparable<Item>
    : NonNullable<Found> extends string
      ? string
      : unknown extends Found
        ? string | number | bigint | boolean
        : NonNullable<Found> extends Scalar
          ? never
          : keyof NonNullable<Found> & string

/**
 * What a selected field can be matched with: a pattern for texts and bytes, nothing for the others.
 */
export type Matchable<Found> = [NonNullable<Found>] extends [string | Uint8Array]
  ? string
  : unknown extends Found
    ? string
    : never
