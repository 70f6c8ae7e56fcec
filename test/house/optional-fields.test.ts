import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, it } from 'vitest'

/** What callers write: options, inputs of commands, and the like. Results may leave fields out. */
const isWritten = /(?:Options|Input|Policy|Config|Limits|Request|Settings|Grant)$/

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.includes('generated') && !path.startsWith('console/app/'),
)

/** The types that a subpath exports, from the API reports. */
const publicTypes = new Set(
  readdirSync('etc')
    .flatMap((report) => [
      ...readFileSync(`etc/${report}`, 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm),
    ])
    .map(([, name]) => name),
)

/** Optional fields of public types, by file and type, that cannot be `undefined`. */
function strictFields(path: string): readonly string[] {
  const text = readFileSync(`src/${path}`, 'utf8')
  const found: string[] = []
  const visit = (node: ts.Node, owner: string): void => {
    if (ts.isPropertySignature(node) && node.questionToken && !takesUndefined(node.type))
      found.push(`${path}: ${owner}.${node.name.getText()}`)
    ts.forEachChild(node, (child) => visit(child, owner))
  }
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  for (const statement of source.statements)
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
      if (isWritten.test(statement.name.text) && publicTypes.has(statement.name.text))
        visit(statement, statement.name.text)
  return found
}

const takesUndefined = (type: ts.TypeNode | undefined): boolean =>
  type !== undefined &&
  (type.kind === ts.SyntaxKind.UnknownKeyword ||
    (ts.isUnionTypeNode(type) && type.types.some(({ kind }) => kind === ts.SyntaxKind.UndefinedKeyword)))

it('options take undefined for what is not set, also under exactOptionalPropertyTypes', () => {
  expect(files.flatMap(strictFields)).toEqual([])
})
