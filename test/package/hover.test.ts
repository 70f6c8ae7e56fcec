import ts from 'typescript'
import { expect, it } from 'vitest'

/** In the declarations that are packed, not in the sources: a comment can be lost between them. */
it.each([
  ['Secrets', 'secrets'],
  ['Scheduler', 'scheduler'],
])('every method of %s shows its docstring in an editor', (name, room) => {
  const entry = `dist/${room}/index.d.ts`
  const program = ts.createProgram([entry], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    skipLibCheck: true,
    types: ['node'],
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  const module = source && checker.getSymbolAtLocation(source)
  const exported = module && checker.getExportsOfModule(module).find((each) => each.name === name)
  if (!exported) throw new Error(`${entry} does not export ${name}: npm run build`)
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const methods = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
    .filter((each) => checker.getTypeOfSymbol(each).getCallSignatures().length > 0)
  expect(methods.length).toBeGreaterThan(5)
  const isDocumented = (each: ts.Symbol) => each.getDocumentationComment(checker).length > 0
  expect(methods.filter((each) => !isDocumented(each)).map((each) => each.name)).toEqual([])
})
