/**
 * Checks fields of a command's input, each by what it has to be: `{ name: 'string', cas: 'number or undefined' }`. Programs
 * without types give something else, and would hear of it deep inside, or never.
 *
 * @throws TypeError that names the field, and says what it has to be
 */
export function checkInput(input: object, fields: Readonly<Record<string, string>>): void {
  for (const field in fields) {
    const value = (input as Readonly<Record<string, unknown>> | undefined)?.[field]
    const kind = Array.isArray(value) ? 'list' : typeof value
    // No kind is a part of another one's name.
    if (!fields[field]?.includes(kind)) throw new TypeError(`input.${field} is ${kind}, not ${fields[field]}`)
  }
}
