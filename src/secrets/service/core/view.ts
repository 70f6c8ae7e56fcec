import type * as z from 'zod'

/** A value as an answer shows it: nothing in it is changed. */
type Shown<Value> = Value extends readonly (infer Element)[]
  ? readonly Shown<Element>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Shown<Value[Name]> }
    : Value

type Shape = Readonly<Record<string, z.ZodType>>

/** The schema of each field of an answer, and what the field shows of a subject. */
type Fields<Subject, Schemas extends Shape> = {
  readonly [Name in keyof Schemas]: readonly [
    schema: Schemas[Name],
    of: (subject: Subject) => Shown<z.output<Schemas[Name]>>,
  ]
}

/**
 * Declares the fields of an answer once: their schemas, which document it, and the values that they show. For answers
 * that are read rarely: one that every request makes is written out as an object.
 */
export const viewOf =
  <Subject>() =>
  <Schemas extends Shape>(fields: Fields<Subject, Schemas>) => {
    const rows = Object.entries<Fields<Subject, Shape>[string]>(fields)
    return {
      // Each name has the schema of its field.
      shape: Object.fromEntries(rows.map(([name, [schema]]) => [name, schema])) as Schemas,
      show: (subject: Subject): Readonly<Record<string, unknown>> =>
        Object.fromEntries(rows.map(([name, [, of]]) => [name, of(subject)])),
    }
  }

/** The lists and maps that clients of the original compare with null when they are empty. */
export const orNull = <Held extends object>(held: Held): Held | null =>
  Object.keys(held).length === 0 ? null : held
