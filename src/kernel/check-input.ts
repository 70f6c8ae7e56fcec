import { checkArguments } from './check-arguments.ts'

/**
 * Checks fields of a command's input, each by what `typeof` says of it: `{ name: 'string', cas: 'number or undefined' }`.
 * Programs without types give something else, and would hear of it deep inside, or never.
 *
 * @param env - the environment, of a command that needs it
 *
 * @throws TypeError that names the missing argument, or else the field and what it has to be
 */
export function checkInput(
  input: object,
  fields: Readonly<Record<string, string>>,
  ...env: readonly object[]
): void {
  checkArguments('input env', input, ...env)
  for (const [field, wanted] of Object.entries(fields)) {
    const kind = typeof (input as Readonly<Record<string, unknown>>)[field]
    // No kind is a part of another one's name.
    if (!wanted.includes(kind)) throw new TypeError(`input.${field} is ${kind}, not ${wanted}`)
  }
}
