import ts from 'typescript'
import { describe, expect, it } from 'vitest'

/** In the declarations that are packed, not in the sources: a comment can be lost between them. */
const services = {
  Secrets: 'dist/secrets/index.d.ts',
  Scheduler: 'dist/scheduler/index.d.ts',
  Catalog: 'dist/catalog/index.d.ts',
  Registry: 'dist/registry/index.d.ts',
  Gateway: 'dist/gateway/index.d.ts',
  Started: 'dist/testing/index.d.ts',
  StartedSecrets: 'dist/testing/index.d.ts',
}
const program = ts.createProgram(Object.values(services), {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  skipLibCheck: true,
  types: ['node'],
})
const checker = program.getTypeChecker()

function typeOf(name: string, entry: string): ts.Type {
  const source = program.getSourceFile(entry)
  const module = source && checker.getSymbolAtLocation(source)
  const exported = module && checker.getExportsOfModule(module).find((each) => each.name === name)
  if (!exported) throw new Error(`${entry} does not export ${name}: npm run build`)
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  return checker.getDeclaredTypeOfSymbol(symbol)
}

const isOurs = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some((at) => !at.getSourceFile().fileName.includes('node_modules')) ?? false
const isMethod = (symbol: ts.Symbol): boolean =>
  checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0

interface Member {
  readonly path: string
  readonly symbol: ts.Symbol
}

/** The members of a type, and those of the handles that they are or return: `kv().read`, `seal.unseal`. */
function membersOf(type: ts.Type, path = '', seen = new Set<ts.Type>()): readonly Member[] {
  if (seen.has(type)) return []
  seen.add(type)
  return checker
    .getPropertiesOfType(type)
    .filter(isOurs)
    .flatMap((symbol) => {
      const own = checker.getTypeOfSymbol(symbol)
      const [signature] = own.getCallSignatures()
      const handle = signature?.getReturnType() ?? own
      const inner = checker.getPropertiesOfType(handle).filter(isOurs).some(isMethod)
        ? membersOf(handle, `${path}${symbol.name}${signature ? '()' : ''}.`, seen)
        : []
      return [{ path: path + symbol.name, symbol }, ...inner]
    })
}

const isService = (name: string): boolean => ['Secrets', 'Scheduler', 'Catalog', 'Registry'].includes(name)

describe.each(Object.entries(services))('%s', (name, entry) => {
  const members = membersOf(typeOf(name, entry))

  it('shows a docstring for each of its members in an editor', () => {
    expect(members.length).toBeGreaterThan(5)
    const isDocumented = ({ symbol }: Member) => symbol.getDocumentationComment(checker).length > 0
    expect(members.filter((each) => !isDocumented(each)).map(({ path }) => path)).toEqual([])
  })

  if (!isService(name)) return
  it('shows an example for each of its members, which test/docs runs', () => {
    const hasExample = ({ symbol }: Member) =>
      symbol.getJsDocTags(checker).some((tag) => tag.name === 'example' && tag.text !== undefined)
    expect(members.filter((each) => !hasExample(each)).map(({ path }) => path)).toEqual([])
  })
})
