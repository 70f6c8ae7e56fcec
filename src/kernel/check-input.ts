import { checkArguments } from './check-arguments.ts'

/**
 * Checks the `typeof` of fields of a command's input: `{ name: 'string', cas: 'number or undefined' }`. In callers
 * without types, a wrong value would otherwise fail deep inside, or never.
 *
 * @param env - the environment, of a command that needs it
 *
 * @throws TypeError that names the missing argument, or the field and its expected type
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
