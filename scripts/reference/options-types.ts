import ts from 'typescript'
import { aboutOf, type packageExports } from './exports.ts'

/** A property of an interface that callers fill in. */
export interface OptionRow {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly about: string
}

/** An interface of options or limits, as a subpath exports it. */
export interface OptionsType {
  readonly subpath: string
  readonly name: string
  readonly about: string
  readonly rows: readonly OptionRow[]
}

const isOfOptions = (name: string): boolean => /(Options|Limits|Settings|Policy)$/.test(name)

/** Every interface of options, limits and settings that the package exports, each once, with its documentation. */
export function optionsTypes({
  checker,
  exported,
}: ReturnType<typeof packageExports>): readonly OptionsType[] {
  const seen = new Set<ts.Symbol>()
  return exported.flatMap(({ subpath, symbol }) => {
    const isInterface = (symbol.flags & ts.SymbolFlags.Interface) !== 0
    if (!isInterface || !isOfOptions(symbol.name) || seen.has(symbol)) return []
    seen.add(symbol)
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const rows = checker.getPropertiesOfType(type).map((property) => rowOf(checker, property))
    return rows.length === 0 ? [] : [{ subpath, name: symbol.name, about: aboutOf(checker, symbol), rows }]
  })
}

function rowOf(checker: ts.TypeChecker, property: ts.Symbol): OptionRow {
  const type = checker.getTypeOfSymbol(property)
  const text = checker
    .typeToString(
      type,
      undefined,
      ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope,
    )
    .replace(/ \| undefined$|^undefined \| /, '')
  return {
    name: property.name,
    type: text.length > 90 ? shortened(text) : text,
    isRequired: (property.flags & ts.SymbolFlags.Optional) === 0,
    about: aboutOf(checker, property),
  }
}

/** The name of a long type; the API pages have the whole type. */
const shortened = (text: string): string =>
  text.includes('=>') ? 'function' : text.endsWith('[]') ? 'array' : 'object'

/** A comment without its links: `{@link compile}` is `compile` in backticks. */
export const withoutTags = (text: string): string => text.replaceAll(/\{@link\s+([^}]*?)\s*\}/g, '`$1`')
