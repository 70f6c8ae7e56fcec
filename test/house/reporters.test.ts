import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, it } from 'vitest'

/** Where a caller's functions of these names are declared; all other code takes a `Reporter` or an `Emitter`. */
const isPublic = /(?:Options|Spec)$/

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.includes('generated') && !path.startsWith('console/app/'),
)

/** Calls of a caller's `onError`, `onEvent` or `onRequest`, and declarations that would allow one. */
function bareCalls(path: string, text = readFileSync(`src/${path}`, 'utf8')): readonly string[] {
  if (!/\bon(?:Error|Event|Request)\b|\breport\b/.test(text)) return []
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const at = (node: ts.Node) =>
    `${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.getText()}`
  const visit = (node: ts.Node, owner: string): void => {
    if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      /^(?:onError|onEvent)$/.test(node.expression.name.text) &&
      /(?:[oO]ptions|spec)$/.test(node.expression.expression.getText())
    )
      found.push(at(node))
    if (
      (ts.isPropertySignature(node) || ts.isParameter(node)) &&
      /^(?:onError|report)$/.test(node.name.getText()) &&
      node.type?.getText() === '(error: unknown) => void' &&
      !isPublic.test(owner)
    )
      found.push(at(node))
    const inside = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ? node.name.text : owner
    ts.forEachChild(node, (child) => visit(child, inside))
  }
  visit(source, '')
  return found
}

it('nothing calls a reporter of the caller but through eventEmitter, which survives its failure', () => {
  expect(files.flatMap((path) => bareCalls(path))).toEqual([])
})

it('a bare call would be found', () => {
  expect(bareCalls('a.ts', 'options.onError?.(error)')).toEqual(['a.ts:1 options.onError?.(error)'])
  expect(bareCalls('a.ts', 'spec.onEvent(event)')).toEqual(['a.ts:1 spec.onEvent(event)'])
  expect(bareCalls('a.ts', 'interface Parts { readonly onError: (error: unknown) => void }')).toHaveLength(1)
  expect(bareCalls('a.ts', 'interface PartOptions { readonly onError: (error: unknown) => void }')).toEqual(
    [],
  )
})
