import type * as z from 'zod'

/** What is wrong with an argument, and where within it; `undefined` when nothing is. */
export type Check = (
  given: unknown,
) => { readonly path: readonly PropertyKey[]; readonly message: string } | undefined

/** What a method takes: its arguments, in order, by name. */
export type Takes = Readonly<Record<string, Check>>

/** An argument of a method: its name for messages, and the check that admits every `Accepted` value. */
export interface Argument<in Accepted> {
  readonly name: string
  readonly check: Check
  /** Only in types: what is admitted. */
  readonly accepts?: (value: Accepted) => void
}

/** Names an argument and its check. */
export const argument = <Accepted>(name: string, check: Check): Argument<Accepted> => ({ name, check })

/** An argument that may be left out. */
export const optionalArgument = <Accepted>({
  name,
  check,
}: Argument<Accepted>): Argument<Accepted | undefined> => ({ name, check: optional(check) })

/**
 * What is wrong with the arguments of a method, and with which of them; `undefined` when nothing is. It never quotes what
 * was given, which may be a secret.
 */
export function argumentsProblem(
  takes: readonly Argument<never>[],
  given: readonly unknown[],
): string | undefined {
  for (let at = 0; at < takes.length; at += 1) {
    const wrong = takes[at]?.check(given[at])
    if (wrong !== undefined)
      return `${[takes[at]?.name, ...wrong.path].map(String).join('.')}: ${wrong.message.replace(/^Invalid input: /, '')}`
  }
  return undefined
}

/**
 * What is wrong with the arguments of a method, and with which of them; `undefined` when nothing is. It never quotes what
 * was given, which may be a secret.
 */
export function inputProblem(takes: Takes, given: readonly unknown[]): string | undefined {
  let at = 0
  for (const argument in takes) {
    const wrong = takes[argument]?.(given[at])
    if (wrong !== undefined)
      return `${[argument, ...wrong.path].map(String).join('.')}: ${wrong.message.replace(/^Invalid input: /, '')}`
    at += 1
  }
  return undefined
}

/** The same methods, which first reject what they do not take. */
export function checking<Methods extends object>(
  methods: Methods,
  takes: { readonly [Name in keyof Methods]: Takes },
): Methods {
  const checked = { ...methods }
  for (const name in methods) {
    const method = methods[name]
    if (typeof method !== 'function') continue
    const call = async (...given: readonly unknown[]): Promise<unknown> => {
      const problem = inputProblem(takes[name], given)
      if (problem !== undefined) throw new TypeError(`${name}: ${problem}`)
      return Reflect.apply(method, undefined, given)
    }
    // The method itself: same arguments, same promise.
    checked[name] = call as unknown as Methods[typeof name]
  }
  return checked
}

/** What is wrong with something that is of another kind; said as schemas say it. */
export const expected = (kind: string, given: unknown, path: readonly PropertyKey[] = []) => ({
  path,
  message: `expected ${kind}, received ${kindOf(given)}`,
})

const kindOf = (given: unknown): string =>
  given === null ? 'null' : Array.isArray(given) ? 'array' : typeof given

/** Whatever it is: left to its method, whose refusals say more. */
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
