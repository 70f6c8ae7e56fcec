import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { packageExports } from '../../scripts/reference/exports.ts'

/**
 * Every exported name, and every method of an exported type, shows a sentence in the editor. A comment that only the
 * source has (because a type was inferred from it) does not count.
 */

const { checker, exported } = packageExports()

const isDocumented = (symbol: ts.Symbol): boolean => symbol.getDocumentationComment(checker).length > 0
const isOurs = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some((at) => !at.getSourceFile().fileName.includes('node_modules')) ?? false

const methodsOf = (type: ts.Symbol): readonly ts.Symbol[] =>
  type.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)
    ? checker
        .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(type))
        .filter(isOurs)
        // Callers do not see what is private.
        .filter(({ name }) => !name.includes('#'))
        .filter((each) => checker.getTypeOfSymbol(each).getCallSignatures().length > 0)
    : []

describe.each([...new Set(exported.map(({ subpath }) => subpath))])('%s', (subpath) => {
  const symbols = exported.filter((each) => each.subpath === subpath).map(({ symbol }) => symbol)

  it('documents every name that it exports', () => {
    expect(
      symbols
        .filter(isOurs)
        .filter((each) => !isDocumented(each))
        .map(({ name }) => name),
    ).toEqual([])
  })

  it('documents every method', () => {
    expect(
      symbols.flatMap((type) =>
        methodsOf(type)
          .filter((each) => !isDocumented(each))
          .map(({ name }) => `${type.name}.${name}`),
      ),
    ).toEqual([])
  })
})
