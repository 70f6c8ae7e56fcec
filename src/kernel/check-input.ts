import { checkArguments } from './check-arguments.ts'

/**
 * Checks the `typeof` of fields of a command's input: `{ name: 'string', cas: 'number or undefined' }`. In callers
 * without types, a wrong value would otherwise fail deep inside, or never. Numbers are counts, versions and seconds: a
 * `NaN` would pass every comparison with a limit, and lift it. A `count` is a number from 0.
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
    const value = (input as Readonly<Record<string, unknown>>)[field]
    const kind = typeof value
    const isCount = wanted.startsWith('count')
    // No kind is a part of another one's name.
    if (!wanted.includes(isCount && kind === 'number' ? 'count' : kind))
      throw new TypeError(`input.${field} is ${kind}, not ${wanted}`)
    if (kind === 'number' && !(Number.isSafeInteger(value) && (!isCount || Number(value) >= 0)))
      throw new TypeError(`input.${field} is ${value}, not a whole number${isCount ? ' from 0' : ''}`)
  }
}
