import { describeFields, type FieldDescription, type Kind, type Kinds } from '../../../filter/index.ts'

/** Fields with more distinct strings than this get no suggestions. */
const few = 8

/** The suggestions of filters on such rows: their fields, and the strings of fields that have few. */
export function fieldsOfRows(rows: readonly object[]): readonly FieldDescription[] {
  const kinds: Record<string, Kind> = {}
  const texts = new Map<string, Set<string>>()
  for (const row of rows.slice(0, 200)) {
    for (const [name, value] of Object.entries(row)) {
      kinds[name] ??= kindOf(value)
      if (typeof value === 'string') texts.set(name, (texts.get(name) ?? new Set()).add(value))
    }
  }
  return describeFields(nothingDeclared, { kinds: kinds satisfies Kinds }).map((field) => {
    const known = texts.get(field.selector)
    const isChoice = known !== undefined && known.size <= few && known.size < rows.length
    return isChoice ? { ...field, texts: [...known].sort() } : field
  })
}

const nothingDeclared = { _zod: { output: undefined, def: { type: 'object', shape: {} } } }

function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'float64'
    case 'boolean':
      return 'bool'
    default:
      if (Array.isArray(value)) return { list: value.length === 0 ? 'any' : kindOf(value[0]) }
      return typeof value === 'object' && value !== null ? { map: 'any' } : 'any'
  }
}
