import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import openapiTypes, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { afterAll, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { openApiDocuments } from '../../scripts/reference/documents.ts'
import { examples, folderOf, pages, programsOf } from './programs.ts'

/** The samples of the documentation compile in strict mode. */

/** Its second program imports the first "from wherever you put it". */
const elsewhere = 'site/guide/write-your-own-store.md'

const folder = resolve(`temp/typed-${process.pid}`)
rmSync(folder, { recursive: true, force: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const written = [
  ...examples,
  ...['README.md', ...pages].filter((page) => page !== elsewhere).flatMap(programsOf),
]
  .filter(({ language }) => language === 'ts')
  .map(({ page, name, code }) => {
    mkdirSync(join(folder, folderOf(page)), { recursive: true })
    const path = join(folder, folderOf(page), name)
    writeFileSync(path, `${code}\nexport {}\n`)
    return path
  })

/** The types that the page of typed clients has its reader generate: `registry-api.ts` for the registry, and so on. */
const clients = join(folder, folderOf('site/guide/typed-clients.md'))
for (const [service, document] of Object.entries(await openApiDocuments())) {
  const types = await openapiTypes(JSON.stringify(document))
  writeFileSync(join(clients, `${service}-api.ts`), astToString(types))
}

/** `plinth/x` → the source behind that subpath. */
const paths = Object.fromEntries(
  Object.entries(packageJson.exports).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [
          [
            `plinth${subpath.slice(1)}`,
            [resolve(target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))],
          ],
        ],
  ),
)

it('every program of the documentation passes a strict compiler', () => {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    '.',
  )
  const program = ts.createProgram(written, {
    ...options,
    noEmit: true,
    paths,
    noUnusedLocals: false,
    noUnusedParameters: false,
  })
  const problems = written
    .map((path) => program.getSourceFile(path))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .map(({ file, start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1
      return `${file?.fileName.slice(folder.length + 1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    })
  expect(problems).toEqual([])
})
