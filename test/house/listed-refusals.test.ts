import { relative } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const { options, fileNames } = ts.parseJsonConfigFileContent(
  ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
  ts.sys,
  '.',
)
const isSource = (file: string) => relative('.', file).startsWith('src')
const program = ts.createProgram(fileNames.filter(isSource), { ...options, noEmit: true })
const checker = program.getTypeChecker()

/** The codes of all refusals that a value of a type can be, or that it promises. */
function codesOf(type: ts.Type): readonly string[] {
  if (type.isUnion()) return type.types.flatMap(codesOf)
  const awaited = checker.getAwaitedType(type)
  if (awaited !== undefined && awaited !== type) return codesOf(awaited)
  const refusal = type.getProperty('refusal')
  const code = refusal && checker.getTypeOfSymbol(refusal).getProperty('code')
  return code ? literalsOf(checker.getTypeOfSymbol(code)) : []
}

function literalsOf(type: ts.Type): readonly string[] {
  if (type.isUnion()) return type.types.flatMap(literalsOf)
  return type.isStringLiteral() ? [type.value] : []
}

/** What a function returns: by its expressions where its type is written out, which may promise more. */
function returned(node: ts.Node, type: ts.Type): readonly ts.Type[] {
  if (!ts.isArrowFunction(node) || node.type === undefined)
    return type.getCallSignatures().map((signature) => signature.getReturnType())
  if (!ts.isBlock(node.body)) return [checker.getTypeAtLocation(node.body)]
  const found: ts.Type[] = []
  const look = (within: ts.Node): void => {
    if (ts.isFunctionLike(within)) return
    if (ts.isReturnStatement(within) && within.expression)
      found.push(checker.getTypeAtLocation(within.expression))
    ts.forEachChild(within, look)
  }
  look(node.body)
  return found
}

/** The refusals that the route in an object lists itself and that none of its functions gives. */
function neverGiven(route: ts.ObjectLiteralExpression): readonly string[] {
  const whole = checker.getTypeAtLocation(route)
  const typeOf = (name: string) => {
    const property = whole.getProperty(name)
    return property && checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(property, route))
  }
  const listed = typeOf('refusals')?.getNumberIndexType()
  if (listed === undefined) return []
  const given = ['before', 'handle', 'with', 'show', 'answer'].flatMap((name) => {
    const own = route.properties.find((each) => each.name?.getText() === name)
    const type = typeOf(name)
    const node = own && ts.isPropertyAssignment(own) ? own.initializer : route
    return type ? returned(node, type).flatMap(codesOf) : []
  })
  return [...new Set(literalsOf(listed))].filter((code) => !given.includes(code))
}

it('routes give every refusal that they list', () => {
  const routes: { readonly at: string; readonly neverGives: readonly string[] }[] = []
  for (const file of program.getSourceFiles()) {
    if (!isSource(file.fileName)) continue
    const look = (node: ts.Node): void => {
      if (ts.isObjectLiteralExpression(node) && ts.isCallExpression(node.parent)) {
        const names = node.properties.map(({ name }) => name?.getText())
        if ((names.includes('handle') || names.includes('run')) && names.includes('path')) {
          const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1
          routes.push({ at: `${relative('.', file.fileName)}:${line}`, neverGives: neverGiven(node) })
        }
      }
      ts.forEachChild(node, look)
    }
    look(file)
  }
  expect(routes.length).toBeGreaterThan(200)
  expect(routes.filter(({ neverGives }) => neverGives.length > 0)).toEqual([])
})
