import type * as z from 'zod'

/** What is wrong with an argument, and where within it. */
export interface Fault {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** What is wrong with an argument; `undefined` when nothing is. */
export type Check = (given: unknown) => Fault | undefined

/** An argument of a method: its name for messages, and the check that admits every `Accepted` value. */
export interface Argument<in Accepted> {
  readonly name: string
  readonly check: Check
  /** Only in types: what is admitted. */
  readonly accepts?: (value: Accepted) => void
}

/** An argument that is read: callers give a `Given`, and the method works with the value that came of it. */
export interface ReadArgument<in Given, out Value> {
  readonly name: string
  readonly read: (given: unknown) => { readonly value: Value } | Fault
  /** Only in types: what callers give. */
  readonly accepts?: (given: Given) => void
}

/** An argument of any method. */
export type AnyArgument = Argument<never> | ReadArgument<never, unknown>

/** Names an argument and its check. */
export const argument = <Accepted>(name: string, check: Check): Argument<Accepted> => ({ name, check })

/** An argument that may be left out. */
export const optionalArgument = <Accepted>({
  name,
  check,
}: Argument<Accepted>): Argument<Accepted | undefined> => ({ name, check: optional(check) })

/**
 * Checks and reads the arguments of a method: the values it works with, or what is wrong with which of them. It never
 * quotes what was given, which may be a secret.
 */
export function readArguments(
  takes: readonly AnyArgument[],
  given: readonly unknown[],
): { readonly values: readonly unknown[] } | { readonly problem: string } {
  let values: readonly unknown[] = given
  for (const [at, argument] of takes.entries()) {
    const read = 'read' in argument ? argument.read(given[at]) : argument.check(given[at])
    if (read === undefined) continue
    if ('path' in read) return { problem: problemText(argument.name, read) }
    values = Object.assign([...values], { [at]: read.value })
  }
  return { values }
}

const problemText = (name: string, { path, message }: Fault): string =>
  `${[name, ...path].map(String).join('.')}: ${message.replace(/^Invalid input: /, '')}`

/** What is wrong with something that is of another kind; said as schemas say it. */
export const expected = (kind: string, given: unknown, path: readonly PropertyKey[] = []): Fault => ({
  path,
  message: `expected ${kind}, received ${kindOf(given)}`,
})

const kindOf = (given: unknown): string =>
  given === null ? 'null' : Array.isArray(given) ? 'array' : typeof given

/** Accepts any value: the method checks it, and its refusals say more. */
export const anything: Check = () => undefined

/** A text, checked by hand: it comes with every call. */
export const aText: Check = (given) => (typeof given === 'string' ? undefined : expected('string', given))

/** What fits a schema; its defaults are not filled in. */
export const like =
  (schema: z.ZodType): Check =>
  (given) =>
    schema.safeParse(given).error?.issues[0]

/** What may be left out. */
export const optional =
  (check: Check): Check =>
  (given) =>
    given === undefined ? undefined : check(given)
