/** A field of a request, as the OpenAPI document of its service describes it. */
export interface Field {
  /** Its name; with a dot if it is inside of another one. */
  readonly name: string
  readonly kind:
    | 'text'
    | 'secret'
    | 'lines'
    | 'number'
    | 'duration'
    | 'boolean'
    | 'list'
    | 'names'
    | 'map'
    | 'choice'
  readonly options?: readonly string[]
  readonly isRequired?: boolean
}

/** A mistake of the user in a field. */
export class FieldMistake extends Error {}

const acronyms = new Set(['ttl', 'id', 'url', 'acl', 'oidc', 'jwt', 'jwks', 'cidr'])
const plurals: Readonly<Record<string, string>> = { cidrs: 'CIDRs', uris: 'URIs', ids: 'IDs' }

/** The label of a field: `token_max_ttl` is “Token max TTL”. */
export function labelOf(name: string): string {
  const words = (name.split('.').at(-1) ?? name)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[_ ]/)
    .map((word) => (acronyms.has(word) ? word.toUpperCase() : (plurals[word] ?? word)))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A value as the text of its field. */
export function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map((each) => textOfValue(each?.Name ?? each)).join(', ')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, each]) => `${name}=${typeof each === 'string' ? each : JSON.stringify(each)}`)
      .join('\n')
  return String(value)
}

const namesIn = (text: string): readonly string[] => text.split(',').flatMap((each) => each.trim() || [])

/** What a request sends for the text of a field. */
export function valueOfText({ name, kind }: Field, text: string): unknown {
  switch (kind) {
    case 'text':
    case 'secret':
    case 'lines':
    case 'choice':
      return text
    case 'duration':
      return text.trim()
    case 'boolean':
      return text === 'true'
    case 'number': {
      const number = Number(text)
      if (text.trim() === '' || !Number.isFinite(number))
        throw new FieldMistake(`${labelOf(name)} is a number; “${text}” is none.`)
      return number
    }
    case 'list':
      return namesIn(text)
    case 'names':
      return namesIn(text).map((Name) => ({ Name }))
    case 'map':
      return Object.fromEntries(
        text
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((line) => {
            const at = line.indexOf('=')
            if (at < 1) throw new FieldMistake(`${labelOf(name)} has a line “${line}”; write name=value.`)
            return [line.slice(0, at).trim(), line.slice(at + 1)]
          }),
      )
    default:
      return kind satisfies never
  }
}

/** The body of a request: the fields whose texts differ from those of the object, or all that have a text. */
export function bodyOf(
  fields: readonly Field[],
  texts: Readonly<Record<string, string>>,
  earlier: Readonly<Record<string, string>>,
  isReplaced: boolean,
): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const { name } = field
    const text = texts[name] ?? ''
    const isSent = text !== (earlier[name] ?? '') || (isReplaced && text !== '')
    if (field.isRequired && text === '') throw new FieldMistake(`Enter the ${labelOf(name).toLowerCase()}.`)
    if (!isSent) continue
    const [outer = name, inner] = name.split('.')
    const value = valueOfText(field, text)
    body[outer] = inner === undefined ? value : Object.assign({}, body[outer], { [inner]: value })
  }
  return body
}
