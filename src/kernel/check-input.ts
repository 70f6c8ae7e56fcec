/**
 * Checks the fields of a command's input, each by what it has to be: `{ name: 'string', cas: 'number?' }`, where `?` says
 * that it may be left out. Programs without types give something else, and would hear of it deep inside, or never.
 *
 * @throws TypeError that names the command and the field, and says what was expected
 */
export function checkInput(command: string, input: object, fields: Readonly<Record<string, string>>): void {
  const given: unknown = input
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${command}: input: expected object, received ${kindOf(given)}`)
  for (const field in fields) {
    const wanted = fields[field] ?? ''
    const value = (given as Readonly<Record<string, unknown>>)[field]
    // An empty list is one of anything.
    if (wanted.startsWith(kindOf(value)) || (value === undefined && wanted.endsWith('?'))) continue
    throw new TypeError(
      `${command}: input.${field}: expected ${wanted.replace('?', '')}, received ${kindOf(value)}`,
    )
  }
}

/** `string`, `null`, `list of numbers`; `list` for an empty one. */
function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (!Array.isArray(value)) return typeof value
  return value.length === 0 ? 'list' : `list of ${[...new Set(value.map(kindOf))].join('s and ')}s`
}
