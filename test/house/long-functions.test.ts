import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, it } from 'vitest'

/** The maximum number of lines of code of a function. */
const most = 120
/** A function with more is long: they gather closures over one state, and may be few. */
const long = 60
const mostLong = 40

const files = execFileSync('git', ['ls-files', 'src'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('/generated/'))

/** The lines on which a token stands: neither blank ones nor those of comments. */
function linesOfCode(source: ts.SourceFile): ReadonlySet<number> {
  const lines = new Set<number>()
  const mark = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return
    const children = node.getChildren(source)
    for (const child of children) mark(child)
    if (children.length > 0 || node.getWidth(source) === 0) return
    const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line
    const last = source.getLineAndCharacterOfPosition(node.end).line
    for (let line = first; line <= last; line += 1) lines.add(line)
  }
  mark(source)
  return lines
}

/** The functions of a file with more lines of code than a maximum. */
function longIn(file: string, text: string, maximum: number): readonly string[] {
  // Most files are too short to have one.
  if (text.split('\n').length <= maximum) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const code = linesOfCode(source)
  const found: string[] = []
  const look = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line
      const last = source.getLineAndCharacterOfPosition(node.end).line
      let count = 0
      for (let line = first; line <= last; line += 1) if (code.has(line)) count += 1
      if (count > maximum) found.push(`${file}:${first + 1} has ${count} lines of code`)
    }
    ts.forEachChild(node, look)
  }
  look(source)
  return found
}

it(`no function has more than ${most} lines of code`, () => {
  const sample = 'function f() {\n  // Not code.\n\n  return 1\n}\n'
  expect(longIn('f.ts', sample, 2)).toEqual(['f.ts:1 has 3 lines of code'])
  expect(longIn('f.ts', sample, 3)).toEqual([])
  expect(files.flatMap((file) => longIn(file, readFileSync(file, 'utf8'), most))).toEqual([])
})

it(`at most ${mostLong} functions have more than ${long} lines of code`, () => {
  const found = files.flatMap((file) => longIn(file, readFileSync(file, 'utf8'), long))
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(mostLong)
})
