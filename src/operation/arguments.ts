import type * as z from 'zod'
import { frozenCopy } from '../kernel/frozen-copy.ts'

/** The problem of an argument, and the path to it. */
export interface Fault {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Returns the problem of an argument; `undefined` if it is valid. */
export type Check = (given: unknown) => Fault | undefined

/** An argument of a method: its name for messages, and the check that admits every `Accepted` value. */
export interface Argument<in Accepted> {
  readonly name: string
  readonly check: Check
  /** Type only: the accepted values. */
  readonly accepts?: (value: Accepted) => void
}

/** An argument that is parsed: callers pass a `Given`, and the method receives the parsed value. */
export interface ReadArgument<in Given, out Value> {
  readonly name: string
  readonly read: (given: unknown) => { readonly value: Value } | Fault
  /** Type only: the values callers pass. */
  readonly accepts?: (given: Given) => void
}

/** An argument of any method. */
export type AnyArgument = Argument<never> | ReadArgument<never, unknown>

/** Names an argument and its check. */
export const argument = <Accepted>(name: string, check: Check): Argument<Accepted> => ({ name, check })

/** An optional argument. */
export const optionalArgument = <Accepted>({
  name,
  check,
}: Argument<Accepted>): Argument<Accepted | undefined> => ({ name, check: optional(check) })

/**
 * Checks and parses the arguments of a method: the parsed values, or the first problem and its argument. Messages never
 * quote a value, which may be a secret.
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
  // Callers keep their objects: no method freezes, changes or stores them.
  return { values: values.map((value) => frozenCopy(value)) }
}

const problemText = (name: string, { path, message }: Fault): string =>
  `${[name, ...path].map(String).join('.')}: ${message.replace(/^Invalid input: /, '')}`

/** The problem of a value of the wrong type, in the words of the schemas. */
export const expected = (kind: string, given: unknown, path: readonly PropertyKey[] = []): Fault => ({
  path,
  message: `expected ${kind}, received ${kindOf(given)}`,
})

const kindOf = (given: unknown): string =>
  given === null ? 'null' : Array.isArray(given) ? 'array' : typeof given

/** Accepts any value: the method checks it, and its refusals are more specific. */
export const anything: Check = () => undefined

/** A string, checked by hand, because it comes with every call. */
export const aText: Check = (given) => (typeof given === 'string' ? undefined : expected('string', given))

/** Checks against a schema; does not fill in defaults. */
export const like =
  (schema: z.ZodType): Check =>
  (given) =>
    schema.safeParse(given).error?.issues[0]

/** Makes a check optional. */
export const optional =
  (check: Check): Check =>
  (given) =>
    given === undefined ? undefined : check(given)
