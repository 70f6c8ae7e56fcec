import type { Field } from '../src/console/app/ui/form-fields.ts'
import { formKey } from '../src/console/app/views/administration/forms.ts'
import type { Form, Kind } from '../src/console/app/views/administration/kind.ts'
import { kinds } from '../src/console/app/views/administration/kinds.ts'
import type { Document, JsonSchema } from './reference/document.ts'
import { openApiDocuments } from './reference/documents.ts'

/** The fields of each form of the console's administration, from the OpenAPI documents of the services. */
export async function requestFields(): Promise<Readonly<Record<string, readonly Field[]>>> {
  const documents = await openApiDocuments()
  const forms = kinds.flatMap((kind) =>
    [kind.create, kind.change].flatMap((form) =>
      form === undefined || form === 'as created' ? [] : [[kind, form] as const],
    ),
  )
  return Object.fromEntries(
    forms.map(([kind, form]) => {
      const document = documents[kind.service]
      if (document === undefined) throw new Error(`no service ${kind.service}`)
      return [formKey(kind, form), fieldsOfForm(kind, form, document)]
    }),
  )
}

function fieldsOfForm(kind: Kind, form: Form, document: Document): readonly Field[] {
  const schema = schemaOf(kind, form, document)
  const declared = form.fields.map((name) => {
    const [found, isRequired] = propertyAt(schema, name.split('.'))
    const field = found && fieldOf(name, found)
    if (!field) throw new Error(`${formKey(kind, form)} has no field ${name} that a form can show`)
    return isRequired ? { ...field, isRequired } : field
  })
  if (!form.isWhole) return declared
  const more = Object.entries(schema.properties ?? {})
    .filter(([name]) => !form.fields.includes(name))
    .flatMap(([name, property]) => fieldOf(name, property) ?? [])
  return [...declared, ...more]
}

/** The schema of a request's body. */
function schemaOf({ within }: Kind, { method, path }: Form, { paths, components }: Document): JsonSchema {
  const nameless = (template: string) => template.replace(/\{\w+\}/g, '{}')
  const wanted = nameless(
    path
      .replace(/\?.*/, '')
      .replace(/\/tune$/, '')
      .replace('auth/{within}', `auth/${within?.method}${within?.inside === undefined ? '' : '/role/{}'}`)
      .replace('auth/{id}/config', 'auth/jwt/config'),
  )
  const [, operations] = Object.entries(paths).find(([template]) => nameless(template) === wanted) ?? []
  const schema = operations?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema
  const { $ref } = schema ?? {}
  const found = $ref === undefined ? schema : components.schemas[$ref.split('/').at(-1) ?? '']
  if (!found) throw new Error(`there is no request ${method} ${path}`)
  return found
}

function propertyAt(
  { properties = {}, required = [] }: JsonSchema,
  [name = '', ...rest]: readonly string[],
): readonly [JsonSchema | undefined, isRequired: boolean] {
  const property = properties[name]
  return property !== undefined && rest.length > 0
    ? propertyAt(property, rest)
    : [property, required.includes(name)]
}

/** The field of a property; none for objects of other shapes. */
function fieldOf(name: string, schema: JsonSchema): Field | undefined {
  const variants = (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null')
  const types = variants.flatMap(({ type = [] }) => type).filter((type) => type !== 'null')
  const options = variants.flatMap(({ enum: values = [] }) => values).filter((each) => each !== '')
  if (options.length > 0) return { name, kind: 'choice', options: options.map(String) }
  if (/_pubkeys$/.test(name)) return { name, kind: 'lines' }
  if (types.includes('array'))
    return { name, kind: variants.some(({ items }) => items?.properties?.['Name']) ? 'names' : 'list' }
  if (types.includes('object'))
    return variants.some(({ properties, additionalProperties }) => !properties && additionalProperties)
      ? { name, kind: 'map' }
      : undefined
  if (types.includes('string')) {
    if (/(?:^|[._])(?:password|client_secret)$/.test(name)) return { name, kind: 'secret' }
    if (/^rules$|^policy$/i.test(name)) return { name, kind: 'lines' }
    return { name, kind: /(?:ttl|period|leeway|duration|max_age)$/i.test(name) ? 'duration' : 'text' }
  }
  if (types.includes('boolean')) return { name, kind: 'boolean' }
  return types.some((type) => type === 'integer' || type === 'number') ? { name, kind: 'number' } : undefined
}
