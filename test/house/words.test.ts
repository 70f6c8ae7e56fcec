import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, it } from 'vitest'

/** Names that need a comment to be understood. They were replaced, each by the field's own word. */
const forbidden = new Set([
  'situation',
  'door',
  'told',
  'sight',
  'standing',
  'letGo',
  'beBorn',
  'atOnce',
  'welcome',
  'unheard',
])

const anyOf = new RegExp(`\\b(?:${[...forbidden].join('|')})\\b`, 'i')

const uncapitalised = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)

const files = execFileSync('git', ['ls-files', 'src', 'test'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('/generated/'))

/** Where identifiers of a source text are forbidden words. */
function forbiddenIn(file: string, text: string): readonly string[] {
  // Most files have them nowhere, not even in comments: reading the text takes much less time than parsing it.
  if (!anyOf.test(text)) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const look = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && forbidden.has(uncapitalised(node.text))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      found.push(`${file}:${line + 1} ${node.text}`)
    }
    ts.forEachChild(node, look)
  }
  look(source)
  return found
}

it('no identifier is a word that was replaced', () => {
  expect(forbiddenIn('a.ts', 'const told = 1\ninterface Standing { fine: 2 }')).toEqual([
    'a.ts:1 told',
    'a.ts:2 Standing',
  ])
  expect(files.length).toBeGreaterThan(1000)
  expect(files.flatMap((file) => forbiddenIn(file, readFileSync(file, 'utf8')))).toEqual([])
})
