import type { JsonSchema } from './document.ts'

/** A JSON Schema in the notation of TypeScript, which is shorter: `{ name: string, size?: integer }`. */
export function schemaText(schema: JsonSchema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return either(schema.enum.map((value) => JSON.stringify(value)))
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return either(options.map((option) => schemaText(option, indent)))
  if (schema.allOf !== undefined) return schema.allOf.map((part) => schemaText(part, indent)).join(' & ')
  const types = [schema.type ?? []].flat()
  if (types.length > 1) return either(types.map((type) => schemaText({ ...schema, type }, indent)))
  const [type] = types
  if (type === 'array') return arrayText(schema, indent)
  if (type === 'object' || schema.properties !== undefined) return objectText(schema, indent)
  return type ?? 'any'
}

const either = (texts: readonly string[]): string => [...new Set(texts)].join(' | ')

function arrayText({ items, prefixItems }: JsonSchema, indent: string): string {
  if (prefixItems !== undefined) return `[${prefixItems.map((item) => schemaText(item, indent)).join(', ')}]`
  const text = schemaText(items ?? {}, indent)
  return text.includes(' | ') && !text.startsWith('{') ? `(${text})[]` : `${text}[]`
}

function objectText(schema: JsonSchema, indent: string): string {
  const inner = `${indent}  `
  const { properties = {}, required = [], additionalProperties } = schema
  const lines = Object.entries(properties).map(([name, property]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    const remark =
      property.description === undefined ? '' : ` // ${property.description.replaceAll('\n', ' ')}`
    return `${inner}${key}${required.includes(name) ? '' : '?'}: ${schemaText(property, inner)}${remark}\n`
  })
  if (typeof additionalProperties === 'object')
    lines.push(`${inner}[name: string]: ${schemaText(additionalProperties, inner)}\n`)
  return lines.length === 0 ? 'object' : `{\n${lines.join('')}${indent}}`
}
