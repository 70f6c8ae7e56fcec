/** The definition of a zod schema. */
export interface Def {
  readonly type: string
  readonly shape?: Readonly<Record<string, unknown>>
  readonly element?: unknown
  readonly valueType?: unknown
  readonly innerType?: unknown
  readonly format?: unknown
  readonly checks?: readonly unknown[]
}

/** The definition of a schema; `undefined` for anything else. */
export const defOf = (schema: unknown): Def | undefined =>
  typeof schema === 'object' && schema !== null && '_zod' in schema
    ? (schema as { readonly _zod: { readonly def: Def } })._zod.def // every zod schema has one
    : undefined
