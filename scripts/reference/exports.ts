import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'

/** A name that a subpath exports, resolved to its declaration. */
export interface Exported {
  readonly subpath: string
  /** The source behind the subpath. */
  readonly file: string
  readonly name: string
  /** Its declaration, which another subpath may export too. */
  readonly symbol: ts.Symbol
}

/** Everything that the package exports, and the type checker. */
export function packageExports(): {
  readonly checker: ts.TypeChecker
  readonly exported: readonly Exported[]
} {
  const { exports }: { exports: Record<string, string | { default: string }> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  const entries = Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            subpath: `plinth${subpath.slice(1)}`,
            file: resolve(target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')),
          },
        ],
  )
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    '.',
  )
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { ...options, noEmit: true },
  )
  const checker = program.getTypeChecker()
  const exported = entries.flatMap(({ subpath, file }) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${file} is not a module`)
    return checker.getExportsOfModule(module).map((each) => ({
      subpath,
      file,
      name: each.name,
      symbol: each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each,
    }))
  })
  return { checker, exported }
}

/** The comment of a declaration, on one line. */
export const aboutOf = (checker: ts.TypeChecker, symbol: ts.Symbol): string =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ').trim()
