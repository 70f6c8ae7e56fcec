import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { withIncludedFiles } from '../../scripts/included-files.mjs'
import { packageExports } from '../../scripts/reference/exports.ts'
import { pages } from './programs.ts'

/** How much of the package the site tells of. */

const { exported } = packageExports()
const isGenerated = (page: string) => readFileSync(page, 'utf8').startsWith('<!-- Generated')
const handWritten = ['README.md', ...pages].filter((page) => !isGenerated(page))

/** What a program can import by name: functions, classes and constants, not types. */
const values = exported.filter(({ symbol }) => (symbol.flags & ts.SymbolFlags.Value) !== 0)

describe('the pages', () => {
  const words = new Set(
    handWritten.flatMap((page) => withIncludedFiles(page).match(/[A-Za-z_$][\w$]*/g) ?? []),
  )
  const share = (some: typeof values) => some.filter(({ name }) => words.has(name)).length / some.length

  it('name at least 60 % of all functions, classes and constants', () => {
    expect(values.length).toBeGreaterThan(300)
    expect(share(values)).toBeGreaterThanOrEqual(0.6)
  })

  it.each([...new Set(values.map(({ subpath }) => subpath))])(
    'name at least a third of those of %s',
    (subpath) => {
      const own = values.filter((each) => each.subpath === subpath)
      expect(own.map(({ name }) => name).filter((name) => !words.has(name))).toSatisfy(
        (missing: readonly string[]) => missing.length <= (own.length * 2) / 3,
      )
    },
  )
})

const isBuilt = existsSync('site/api')

describe.skipIf(!isBuilt)(
  `the API reference${isBuilt ? '' : ' (the site is not built: npm run docs:build)'}`,
  () => {
    it('has every export of every subpath under a heading of its own', () => {
      const headings = new Map<string, Set<string>>()
      const headingsOf = (file: string) => {
        const found =
          headings.get(file) ??
          new Set(
            [...readFileSync(file, 'utf8').matchAll(/^### (?:`?~*)?(?:abstract )?([\w$]+)/gim)].map(
              ([, name = '']) => name,
            ),
          )
        headings.set(file, found)
        return found
      }
      const missing = exported.filter(({ file, name }) => {
        const path = relative('src', file).replace(/(?:\/index)?\.ts$/, '')
        return !headingsOf(`site/api/${path === 'index' ? 'plinth' : path}.md`).has(name)
      })
      expect(missing.map(({ subpath, name }) => `${subpath} ${name}`)).toEqual([])
    })
  },
)
