import { checkArguments } from './check-arguments.ts'

type OptionalNames<Input> = {
  [Name in keyof Input]-?: object extends Pick<Input, Name> ? Name : never
}[keyof Input]

/** A value of the type of each optional field of an input; `undefined` for a field of several types. */
export type OptionalFields<Input> = { readonly [Name in OptionalNames<Input>]: unknown }

/**
 * Checks the input of a command: it has no other fields than these, and each has the `typeof` of the given value. In
 * callers without types, a misspelt field or a wrong value would otherwise fail deep inside, or never. Numbers are
 * counts, versions and seconds: a `NaN` would pass every comparison with a limit, and lift it.
 *
 * @param env - the environment, of a command that needs it; a clock is none
 *
 * @throws TypeError that names the missing argument, the unknown field, or the field and its expected type
 */
export function checkInput<Input extends object>(
  input: Input,
  required: { readonly [Name in Exclude<keyof Input, OptionalNames<Input>>]: unknown },
  optional: OptionalFields<Input>,
  ...env: readonly { readonly now: number }[]
): void {
  checkArguments('input env', input, ...env)
  if (typeof env[0]?.now === 'function') throw new TypeError('env is a clock, not its env()')
  const fields: Readonly<Record<string, unknown>> = { ...required, ...optional }
  for (const field in { ...input, ...fields }) {
    const value: unknown = (input as Readonly<Record<string, unknown>>)[field]
    const kind = typeof value
    const wanted = typeof fields[field]
    const kinds = field in optional ? `${wanted} or undefined` : wanted
    const wrong = !(field in fields)
      ? `not one of ${Object.keys(fields)}`
      : wanted !== 'undefined' && !kinds.includes(kind)
        ? `${kind}, not ${kinds}`
        : kind === 'number' && !Number.isSafeInteger(value) && `${value}, not a whole number`
    if (wrong) throw new TypeError(`input.${field} is ${wrong}`)
  }
}

/** An input without fields that its command does not have: a record that was read may be passed back. */
export const onlyFields = <Input extends object>(input: Input, fields: object): Input =>
  // The left out fields are none of the input's.
  Object.fromEntries(Object.entries(input).filter(([name]) => name in fields)) as Input
