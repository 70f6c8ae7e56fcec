import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withIncludedFiles } from '../../scripts/included-files.mjs'
import { filledCatalog, filledRegistry, filledScheduler, filledSecrets } from './filled.ts'

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

/** The names that examples of one line may use, by the folder of the service. */
const filled: Readonly<Record<string, readonly [call: string, names: readonly string[]]>> = {
  secrets: ['filledSecrets()', Object.keys(await filledSecrets())],
  scheduler: ['filledScheduler()', Object.keys(await filledScheduler())],
  catalog: ['filledCatalog()', Object.keys(await filledCatalog())],
  registry: ['filledRegistry()', Object.keys(await filledRegistry())],
}

/** The program of an example of one line, for a file two folders below `temp`: it begins with a service to ask. */
function programOfLine(path: string, line: string): string {
  const [call, names] = filled[path.split('/')[0] ?? ''] ?? []
  if (call === undefined) throw new Error(`write the whole program: src/${path} has ${line}`)
  return `import { ${call.slice(0, -2)} } from '../../../test/docs/filled.ts'
const { ${names?.join(', ')} } = await ${call}
${line}`
}

/** Every `@example` of a documentation comment. */
export const examples: readonly Program[] = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
  .flatMap((path) => {
    const text = readFileSync(join('src', path), 'utf8')
    const lineOf = (index: number) => `line-${text.slice(0, index).split('\n').length}.ts`
    return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(({ 0: comment, index: start }) =>
      [...comment.matchAll(/@example(?: ([a-z].*)|[\s\S]*?\* ```tsx?\n([\s\S]*?)\n\s*\* ```)/g)].map(
        ({ 1: line, 2: code = '', index }) => ({
          page: path,
          language: 'ts' as const,
          name: lineOf(start + index),
          code: line === undefined ? code.replace(/^\s*\* ?/gm, '') : programOfLine(path, line),
        }),
      ),
    )
  })

/** A folder name for a page. */
export const folderOf = (page: string): string => page.replaceAll(/[^\w.-]/g, '_')
