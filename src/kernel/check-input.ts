/**
 * Checks fields of a command's input, each by what `typeof` says of it: `{ name: 'string', cas: 'number or undefined' }`.
 * Programs without types give something else, and would hear of it deep inside, or never.
 *
 * @throws TypeError that names the field, and says what it has to be
 */
export function checkInput(input: object, fields: Readonly<Record<string, string>>): void {
  for (const [field, wanted] of Object.entries(fields)) {
    const kind = typeof (input as Readonly<Record<string, unknown>>)[field]
    // No kind is a part of another one's name.
    if (!wanted.includes(kind)) throw new TypeError(`input.${field} is ${kind}, not ${wanted}`)
  }
}
