import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { cell, codeCell, generatedBy, paragraphs, prose, table } from './markdown.ts'
import { type OptionsType, withoutTags } from './options-types.ts'

/** The fixed limits: the constants by service and file, with their meanings. */
type FixedLimits = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>

const fixedLimits: FixedLimits = {
  'Every service': {
    'http/route-call': { maxJsonBytes: 'Bytes of a JSON body; less where the listener says so' },
    'http/json-limits': { mostValues: 'Values in a JSON body' },
    'http/body': {
      defaultMaxBufferedBytes: 'Bytes of all request bodies in memory together, by default',
    },
    'http/node/framing': { maxHead: 'Bytes of the head of a request with a LIST method' },
    'search/words': { maxTerms: 'Words of a search' },
  },
  secrets: {
    'secrets/service/request/http': {
      maxUnauthenticatedBytes: 'Bytes of the body of an unauthenticated caller',
    },
    'secrets/service/kv/kept-text': {
      mostValues: 'Values in a secret, and in the body of any request',
      mostInOne: 'Values in one object or list of them',
    },
    'secrets/service/core/paths': { longestPath: 'Bytes of the path of a secret within its mount' },
    'secrets/kv2/exact-json': { maxDepth: 'Levels of nesting of a secret' },
    'secrets/kv2/rules': { defaultMaxVersions: 'Versions kept of a secret, by default' },
    'secrets/kv2/custom-metadata': {
      maxKeys: 'Keys of custom metadata',
      maxKeyBytes: 'Bytes of a key of custom metadata',
      maxValueBytes: 'Bytes of a value of custom metadata',
    },
    'secrets/name-length': { longestName: 'Characters of a name of a policy, user, role or group' },
    'secrets/mounts/rules': { maxPathLength: 'Characters of the path of a mount' },
    'crypto/node': { longestPassword: 'Bytes of a password' },
    'secrets/service/logins/lockouts': { mostNames: 'User names whose wrong passwords are counted at once' },
    'secrets/service/access/capability-routes': { mostPaths: 'Paths of one question about capabilities' },
    'secrets/service/tools/routes': { mostBytes: 'Random bytes of one request' },
  },
  scheduler: {
    'scheduler/service': { mostInOne: 'Values in one object or list of a JSON body' },
    'scheduler/wire/depth': { maxDepth: 'Levels of nesting of a job' },
    'scheduler/jobs/rules': { maxIdBytes: 'Bytes of a job ID' },
    'scheduler/jobs/dispatch': { maxPayload: 'Bytes of the payload of a dispatch' },
    'scheduler/namespaces/rules': { maxDescriptionBytes: 'Bytes of the description of a namespace' },
    'scheduler/submissions/model': { maxLength: 'Characters of the source of a job' },
    'scheduler/periodic/schedule': { maxSpecs: 'Cron expressions of a job' },
    'scheduler/operations/jobs/tag-version': { maxTags: 'Tagged versions of a job' },
    'scheduler/nodes/status': { maxEvents: 'Events kept of a node' },
  },
  catalog: {
    'catalog/boxes/text-limits': {
      maxShortDescription: 'Characters of a short description',
      maxDescription: 'Characters of a description',
    },
    'catalog/versions/number': { maxLength: 'Characters of a version number' },
  },
  registry: {
    'registry/routes': { longestQuery: 'Characters of a search' },
    'registry/versions/number': { maxLength: 'Characters of a version number' },
    'registry/configuration/describe-module': { longestReadme: 'Bytes of a README that is shown' },
    'registry/archive/inspect-module': { longestFile: 'Bytes of a configuration file that is read' },
    'registry/archive/entry-path': {
      longestPath: 'Characters of a path in an archive',
      longestSegment: 'Bytes of a segment of such a path',
    },
  },
  filter: {
    'filter/evaluating/work': { defaultSteps: 'Steps of work on one row, by default' },
  },
}

/** The page of every limit: those that options set, those of every store, and those that are fixed. */
export const limitsPage = (types: readonly OptionsType[]): string =>
  `${paragraphs([
    generatedBy,
    '# Limits',
    'What exceeds a limit is refused with a code, a status and a message that names the limit; nothing is cut silently.',
    '## Limits that you can set {#options}',
    ...types
      .filter(({ name }) => name.endsWith('Limits'))
      .map(({ subpath, name, about, rows }) =>
        paragraphs([
          `### ${name} of \`${subpath}\` {#${name.toLowerCase()}-of-${subpath.slice(subpath.lastIndexOf('/') + 1)}}`,
          prose(withoutTags(about)),
          table(
            ['Limit', 'Meaning'],
            rows.map((row) => [codeCell(row.name), cell(withoutTags(row.about))]),
          ),
        ]),
      ),
    '## Limits of every store {#store}',
    'Every adapter enforces them, so that what fits in memory fits in a database.',
    storeLimits(),
    ...Object.entries(fixedLimits).map(([service, limits]) =>
      paragraphs([
        `## Fixed: ${service} {#fixed-${service.toLowerCase().replaceAll(' ', '-')}}`,
        table(
          ['Limit', 'Value'],
          Object.entries(limits).flatMap(([file, constants]) =>
            Object.entries(constants).map(([constant, about]) => [
              cell(about),
              figure(constantValue(file, constant)),
            ]),
          ),
        ),
      ]),
    ),
  ])}\n`

const sourceOf = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(`src/${file}.ts`, 'utf8'), ts.ScriptTarget.Latest, true)

/** The value of a constant, which is a product or a sum of numbers. */
function constantValue(file: string, constant: string): number {
  const initializer = initializerOf(sourceOf(file), constant)
  if (initializer === undefined) throw new Error(`src/${file}.ts has no constant ${constant}`)
  return numberOf(initializer)
}

function initializerOf(source: ts.SourceFile, constant: string): ts.Expression | undefined {
  const declarations = source.statements.filter(ts.isVariableStatement)
  return declarations
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find(({ name }) => name.getText() === constant)?.initializer
}

function numberOf(expression: ts.Expression): number {
  if (ts.isNumericLiteral(expression)) return Number(expression.text)
  if (ts.isBinaryExpression(expression)) {
    const { left, right, operatorToken } = expression
    switch (operatorToken.kind) {
      case ts.SyntaxKind.AsteriskToken:
        return numberOf(left) * numberOf(right)
      case ts.SyntaxKind.PlusToken:
        return numberOf(left) + numberOf(right)
      default:
        break
    }
  }
  throw new Error(`${expression.getText()} is not a number`)
}

/** The limits of the store port, with the comments of their declaration. */
function storeLimits(): string {
  const source = sourceOf('store/port/port')
  const declared = initializerOf(source, 'limits')
  const object = declared && ts.isAsExpression(declared) ? declared.expression : declared
  if (object === undefined || !ts.isObjectLiteralExpression(object))
    throw new Error('the store port has no table of limits')
  return table(
    ['Limit', 'Value', 'Meaning'],
    object.properties.filter(ts.isPropertyAssignment).map((property) => [
      codeCell(property.name.getText()),
      figure(numberOf(property.initializer)),
      cell(
        ts
          .getJSDocCommentsAndTags(property)
          .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
          .join(' '),
      ),
    ]),
  )
}

/** A number as people read it: powers of two in KiB and MiB, others with separators. */
const figure = (value: number): string => {
  if (value >= 2 ** 20 && value % 2 ** 20 === 0) return `${value / 2 ** 20} Mi`
  if (value >= 2 ** 12 && value % 2 ** 10 === 0) return `${value / 2 ** 10} Ki`
  return value.toLocaleString('en-US')
}
