import type { Answer, Content, Document, Operation, Parameter } from './document.ts'
import { anchorOf, cell, codeCell, generatedBy, paragraphs, prose, table } from './markdown.ts'
import { schemaText } from './schema-text.ts'

/** A request of a test and its answer, by the ID of its operation. */
export type Examples = Readonly<
  Record<
    string,
    {
      readonly line: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: unknown
      readonly status: number
      readonly answer: unknown
    }
  >
>

/** The page of a service's endpoints, in the groups of its document. */
export function endpointPage(name: string, document: Document, examples: Examples): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation,
      example: exampleOf(method, item, examples),
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
        .map(({ title, operation, example }) => endpoint(name, title, operation, example)),
    ]),
    ...schemas(document),
  ])}\n`
}

/** The example of an operation: PUT and POST on one path are often the same, and share theirs. */
export function exampleOf(
  method: string,
  item: Readonly<Record<string, Operation>>,
  examples: Examples,
): Examples[string] | undefined {
  const own = examples[item[method]?.operationId ?? '']
  const twin = { put: 'post', post: 'put' }[method]
  const other = twin === undefined ? undefined : item[twin]
  if (own !== undefined || other === undefined || other.summary !== item[method]?.summary) return own
  const shared = examples[other.operationId]
  return shared && { ...shared, line: shared.line.replace(/^\w+/, method.toUpperCase()) }
}

const endpoint = (
  service: string,
  title: string,
  operation: Operation,
  example: Examples[string] | undefined,
): string =>
  paragraphs([
    `### \`${title}\` {#${anchorOf(title)}}`,
    `${prose(operation.summary)}.`,
    prose(operation.description ?? ''),
    credentials(operation),
    `\`\`\`sh\n${curlOf(service, title, operation, example)}\n\`\`\``,
    answerOf(example),
    parameters(operation.parameters),
    body(operation.requestBody),
    ...Object.entries(operation.responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, answer]) => success(status, answer)),
    refusals(operation.responses),
  ])

/** The address of a service, and the header that takes a token, as examples write them. */
const clients: Readonly<Record<string, { readonly address: string; readonly token: string }>> = {
  secrets: { address: '$SECRETS_ADDR', token: 'X-Secrets-Token: $SECRETS_TOKEN' },
  scheduler: { address: '$SCHEDULER_ADDR', token: 'X-Scheduler-Token: $SCHEDULER_TOKEN' },
  gateway: { address: 'http://127.0.0.1:9203', token: '' },
  catalog: { address: '$CATALOG_ADDR', token: 'Authorization: Bearer $CATALOG_TOKEN' },
  registry: { address: '$REGISTRY_ADDR', token: 'Authorization: Bearer $REGISTRY_TOKEN' },
}

/** The endpoint as a command line: the request of a test if there is one, or else with the names of its parameters. */
function curlOf(
  service: string,
  title: string,
  { security, requestBody }: Operation,
  example: Examples[string] | undefined,
): string {
  const { address = '', token = '' } = clients[service] ?? {}
  const [method = 'GET', path = '/'] = (
    example?.line ?? title.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())
  ).split(' ')
  const body =
    typeof example?.body === 'string'
      ? example.body
      : example?.body !== undefined
        ? `'${JSON.stringify(example.body).replaceAll("'", "'\\''")}'`
        : requestBody?.required
          ? '@body.json'
          : undefined
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${address}${path.replaceAll('"', '%22')}"`,
    ...(security.length > 0 && token !== '' ? [`  -H "${token}"`] : []),
    ...Object.entries(example?.headers ?? {}).map(([name, value]) => `  -H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`  ${body === '@file' ? '--data-binary' : '-d'} ${body}`]),
  ].join(' \\\n')
}

const longestAnswer = 40

/** The answer of a test, which has shortened it. */
function answerOf(example: Examples[string] | undefined): string {
  if (example === undefined || example.answer === '') return ''
  if (typeof example.answer === 'string') return `\`\`\`text\n${example.answer}\n\`\`\``
  const text = JSON.stringify(example.answer, null, 2)
  const lines = text.split('\n')
  const shown = lines.length > longestAnswer ? [...lines.slice(0, longestAnswer), '  …'] : lines
  return `\`\`\`json\n${shown.join('\n')}\n\`\`\``
}

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
