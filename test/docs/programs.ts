import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withIncludedFiles } from '../../scripts/included-files.mjs'

/** A program that the documentation shows. */
export interface Program {
  /** The file it stands in. */
  readonly page: string
  /** JavaScript has no types for a strict compiler to check. */
  readonly language: 'ts' | 'js'
  /** Its own name, by which those below it import it; or a number. */
  readonly name: string
  readonly code: string
}

/** The programs of the README or a page of `site/`. One that begins with its name (`// phones.ts`,
 * `// phones.mjs`) is a file of that name. */
export const programsOf = (page: string): readonly Program[] =>
  [
    ...withIncludedFiles(page).matchAll(/^```(ts|js(?=\n\/\/ \S+\.mjs\n))(?: \[[^\n]*\])?\n([\s\S]*?)^```/gm),
  ].map(([, language, code = ''], index) => ({
    page,
    language: language === 'js' ? 'js' : 'ts',
    name: `${/^\/\/ (\S+)\.m?[tj]s\n/.exec(code)?.[1] ?? `program-${index + 1}`}.ts`,
    code: code.replaceAll(/from '(\.\/[\w-]+)\.mjs'/g, "from '$1.ts'"),
  }))

export const pages: readonly string[] = [
  'site/index.md',
  ...['start', 'guide', 'recipes', 'reference', 'explanation'].flatMap((folder) =>
    readdirSync(join('site', folder))
      .filter((page) => page.endsWith('.md'))
      .map((page) => join('site', folder, page)),
  ),
]

/** Every `@example` of a documentation comment. */
export const examples: readonly Program[] = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
  .flatMap((path) => {
    const text = readFileSync(join('src', path), 'utf8')
    return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(({ 0: comment, index: start }) =>
      [...comment.matchAll(/@example[\s\S]*?\* ```tsx?\n([\s\S]*?)\n\s*\* ```/g)].map(
        ({ 1: code = '', index }) => ({
          page: path,
          language: 'ts' as const,
          name: `line-${text.slice(0, start + index).split('\n').length}.ts`,
          code: code.replace(/^\s*\* ?/gm, ''),
        }),
      ),
    )
  })

/** A folder name for a page. */
export const folderOf = (page: string): string => page.replaceAll(/[^\w.-]/g, '_')
