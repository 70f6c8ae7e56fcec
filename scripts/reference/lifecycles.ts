import { pathToFileURL } from 'node:url'
import { aboutOf, type packageExports } from './exports.ts'

/** A lifecycle that the package exports: the table that its engine uses. */
export interface ExportedLifecycle {
  readonly subpath: string
  readonly name: string
  readonly about: string
  readonly table: Table
}

/** Status → verb → status. The first status is where it begins. */
export type Table = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Every lifecycle of the package, each once. */
export async function lifecycles({
  checker,
  exported,
}: ReturnType<typeof packageExports>): Promise<readonly ExportedLifecycle[]> {
  const seen = new Set<unknown>()
  const found: ExportedLifecycle[] = []
  for (const { subpath, file, name, symbol } of exported) {
    if (!/Lifecycle$/.test(name) || symbol.valueDeclaration === undefined || seen.has(symbol)) continue
    seen.add(symbol)
    const module: Readonly<Record<string, Table>> = await import(pathToFileURL(file).href)
    const table = module[name]
    if (table === undefined) throw new Error(`${subpath} does not export ${name}`)
    found.push({ subpath, name, about: aboutOf(checker, symbol), table })
  }
  return found
}
