import type { Answer, Content, Document, Operation, Parameter } from './document.ts'
import { anchorOf, cell, codeCell, generatedBy, paragraphs, prose, table } from './markdown.ts'
import { schemaText } from './schema-text.ts'

/** The page of a service's endpoints, in the groups of its document. */
export function endpointPage(name: string, document: Document): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )
  const groups = [...new Set(operations.map(({ operation }) => operation.tags[0] ?? name))]
  return `${paragraphs([
    generatedBy,
    `# Endpoints: ${name}`,
    prose(document.info.description),
    `${operations.length} endpoints. The service serves the same as an OpenAPI 3.1 document.`,
    ...groups.flatMap((group) => [
      `## ${group} {#group-${anchorOf(group)}}`,
      ...operations
        .filter(({ operation }) => (operation.tags[0] ?? name) === group)
        .map(({ title, operation }) => endpoint(title, operation)),
    ]),
    ...schemas(document),
  ])}\n`
}

const endpoint = (title: string, operation: Operation): string =>
  paragraphs([
    `### \`${title}\` {#${anchorOf(title)}}`,
    `${prose(operation.summary)}.`,
    prose(operation.description ?? ''),
    credentials(operation),
    parameters(operation.parameters),
    body(operation.requestBody),
    ...Object.entries(operation.responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, answer]) => success(status, answer)),
    refusals(operation.responses),
  ])

function credentials({ security, 'x-access': access }: Operation): string {
  const right = access === undefined ? '' : ` It needs the right ${codeCell(access)}.`
  if (security.length === 0) return 'No token is needed.'
  return security.some((scheme) => Object.keys(scheme).length === 0)
    ? `A token is optional.${right}`
    : `A token is required.${right}`
}

const parameters = (all: readonly Parameter[]): string =>
  table(
    ['Parameter', 'In', 'Type', 'Required', 'Meaning'],
    all.map((parameter) => [
      codeCell(parameter.name),
      parameter.in,
      codeCell(schemaText(parameter.schema)),
      parameter.required ? 'yes' : 'no',
      cell(parameter.description ?? parameter.schema.description ?? ''),
    ]),
  )

function body(request: Operation['requestBody']): string {
  if (request === undefined) return ''
  return paragraphs([`**Body**${request.required ? '' : ' (optional)'}`, content(request.content)])
}

const success = (status: string, { description, headers = {}, content: sent = {} }: Answer): string =>
  paragraphs([
    `**Answer ${status}**${description === 'success' ? '' : `: ${refusalText(description)}`}`,
    table(
      ['Header', 'Meaning'],
      Object.entries(headers).map(([header, described]) => [codeCell(header), cell(described.description)]),
    ),
    content(sent),
  ])

const content = (sent: Content): string =>
  paragraphs(
    Object.entries(sent).map(([type, { schema }]) => {
      const isAny = schema === undefined || Object.keys(schema).length === 0
      return isAny ? `\`${type}\`` : `\`${type}\`\n\n\`\`\`text\n${schemaText(schema)}\n\`\`\``
    }),
  )

const refusals = (responses: Operation['responses']): string =>
  table(
    ['Status', 'Refused'],
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, { description }]) => [status, refusalText(description)]),
  )

/** The description of a status: texts and lists of refusal codes, with `; or ` between them. */
const refusalText = (description: string): string =>
  description
    .split('; or ')
    .map((part) => {
      const [, codes] = /^refused: (.+)$/.exec(part) ?? []
      return codes === undefined ? cell(part) : codes.split(', ').map(codeCell).join(', ')
    })
    .join('; or ')

function schemas({ components }: Document): readonly string[] {
  const named = Object.entries(components.schemas)
  if (named.length === 0) return []
  return [
    '## Schemas {#schemas}',
    ...named.map(([name, schema]) =>
      paragraphs([
        `### ${name} {#schema-${anchorOf(name)}}`,
        prose(schema.description ?? ''),
        `\`\`\`text\n${schemaText(schema)}\n\`\`\``,
      ]),
    ),
  ]
}
