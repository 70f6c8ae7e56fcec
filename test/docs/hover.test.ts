import { resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

/**
 * Every exported name, and every method of an exported type, shows a sentence in the editor. A comment that only the
 * source has (because a type was inferred from it) does not count.
 */

const entries = Object.entries(packageJson.exports).flatMap(([subpath, target]) =>
  typeof target === 'string'
    ? []
    : { subpath, file: resolve(target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')) },
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

const isDocumented = (symbol: ts.Symbol): boolean => symbol.getDocumentationComment(checker).length > 0
const isOurs = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some((at) => !at.getSourceFile().fileName.includes('node_modules')) ?? false

const exportsOf = (file: string): readonly ts.Symbol[] => {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile)
  return checker
    .getExportsOfModule(module as ts.Symbol)
    .map((each) => (each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each))
}

const methodsOf = (type: ts.Symbol): readonly ts.Symbol[] =>
  type.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)
    ? checker
        .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(type))
        .filter(isOurs)
        .filter((each) => checker.getTypeOfSymbol(each).getCallSignatures().length > 0)
    : []

describe.each(entries)('$subpath', ({ file }) => {
  it('documents every name that it exports', () => {
    expect(
      exportsOf(file)
        .filter(isOurs)
        .filter((each) => !isDocumented(each))
        .map(({ name }) => name),
    ).toEqual([])
  })

  it('documents every method', () => {
    expect(
      exportsOf(file).flatMap((type) =>
        methodsOf(type)
          .filter((each) => !isDocumented(each))
          .map(({ name }) => `${type.name}.${name}`),
      ),
    ).toEqual([])
  })
})
