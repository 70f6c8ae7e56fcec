import * as z from 'zod'
import { AuditSettings } from '../../src/cli/serve/audit-config.ts'
import { Config } from '../../src/cli/serve/config.ts'
import { SealSettings } from '../../src/cli/serve/seal-config.ts'
import type { JsonSchema } from './document.ts'
import { anchorOf, cell, codeCell, generatedBy, paragraphs, prose, table } from './markdown.ts'
import { type OptionsType, withoutTags } from './options-types.ts'

/** The page of every setting: of the configuration file, and of every function that takes options. */
export const settingsPage = (types: readonly OptionsType[]): string =>
  `${paragraphs([
    generatedBy,
    '# Settings',
    'Every option of every function, and every setting of a configuration file. The flags of the program are in [Commands](./commands.md); how much of each thing is allowed is in [Limits](./limits.md).',
    '## Configuration file {#configuration-file}',
    '`plinth serve --config FILE` reads HCL or JSON. An unknown setting is an error that names its line and the nearest setting. Flags override it.',
    table(
      ['Setting', 'Type', 'Meaning'],
      [
        ...settingsOf('', schemaOf(Config)),
        ...settingsOf('audit "file".', schemaOf(AuditSettings)),
        ...settingsOf('seal "static".', schemaOf(SealSettings)),
      ].map(({ name, type, about }) => [codeCell(name), codeCell(type), cell(about)]),
    ),
    ...subpathsOf(types).map((subpath) =>
      paragraphs([
        `## \`${subpath}\` {#${anchorOf(subpath)}}`,
        ...types
          .filter((type) => type.subpath === subpath && /Options$|Settings$/.test(type.name))
          .map((type) => section(type)),
      ]),
    ),
  ])}\n`

const subpathsOf = (types: readonly OptionsType[]): readonly string[] => [
  ...new Set(types.filter(({ name }) => /Options$|Settings$/.test(name)).map(({ subpath }) => subpath)),
]

const section = ({ name, about, rows }: OptionsType): string =>
  paragraphs([
    `### ${name} {#${anchorOf(name)}}`,
    prose(withoutTags(about)),
    table(
      ['Option', 'Type', 'Required', 'Meaning'],
      rows.map((row) => [
        codeCell(row.name),
        codeCell(row.type),
        row.isRequired ? 'yes' : 'no',
        cell(withoutTags(row.about)),
      ]),
    ),
  ])

const schemaOf = (schema: z.ZodType): JsonSchema =>
  JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })))

interface Setting {
  readonly name: string
  readonly type: string
  readonly about: string
}

/** The settings of a block and of the blocks in it. */
function settingsOf(above: string, { properties = {} }: JsonSchema): readonly Setting[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const block = schema.items?.properties ? schema.items : schema
    const isBlock = block.properties !== undefined
    return [
      { name: `${above}${key}`, type: isBlock ? 'block' : typeText(schema), about: schema.description ?? '' },
      ...(isBlock ? settingsOf(`${above}${key}.`, block) : []),
    ]
  })
}

const typeText = (schema: JsonSchema): string => {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeText))].join(' | ')
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const [type = 'string'] = [schema.type ?? []].flat()
  return type === 'array' ? `${typeText(schema.items ?? {})}[]` : type === 'object' ? 'map' : type
}
