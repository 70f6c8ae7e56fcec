import type { Constant } from '../../hcl/structure/index.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import type { Dependency, Input, ModulePartInput, Output, Resource } from '../versions/model.ts'
import { readJsonFile } from './json-file.ts'
import { readNativeFile } from './native-file.ts'
import { providerNeeds } from './provider-needs.ts'
import type { ConfigBlock, ConfigBody, ConfigValue } from './source.ts'
import type { Warnings } from './warnings.ts'

/** A configuration file of one folder: its path, for messages, and its text. */
export interface ConfigText {
  readonly path: string
  readonly text: string
}

const isOverride = ({ path }: ConfigText): boolean => /(?:^|[/_])override\.(?:tf|tofu)(?:\.json)?$/.test(path)

const byPath = (a: ConfigText, b: ConfigText): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

/** The number of blocks read before the event loop continues. */
const blocksPerStep = 200

/**
 * Reads the files of one folder as one module, overrides last: a later block of a name overrides an earlier one.
 */
export async function describePart(
  files: readonly ConfigText[],
  warnings: Warnings,
): Promise<Omit<ModulePartInput, 'path' | 'readme'>> {
  const sorted = [...files].sort(byPath)
  const found = nothingYet()
  for (const file of [...sorted.filter((file) => !isOverride(file)), ...sorted.filter(isOverride)])
    await addFile(found, file, warnings)
  const { inputs, outputs, dependencies, resources, dataSources, requiredVersions, needs } = found
  return {
    empty: files.length === 0,
    inputs: [...inputs.values()],
    outputs: [...outputs.values()],
    dependencies: [...dependencies.values()],
    resources: [...resources.values()],
    ...(dataSources.size > 0 ? { data_sources: [...dataSources.values()] } : {}),
    ...(requiredVersions.length > 0 ? { required_version: requiredVersions.join(', ') } : {}),
    providers: needs.list(),
  }
}

/** What the files of a folder declare, by name. */
const nothingYet = () => ({
  inputs: new Map<string, Input>(),
  outputs: new Map<string, Output>(),
  dependencies: new Map<string, Dependency>(),
  resources: new Map<string, Resource>(),
  dataSources: new Map<string, Resource>(),
  requiredVersions: [] as string[],
  needs: providerNeeds(),
  /** The blocks that were read. */
  count: 0,
})

/** Adds what a file declares. */
async function addFile(
  found: ReturnType<typeof nothingYet>,
  file: ConfigText,
  warnings: Warnings,
): Promise<void> {
  const { inputs, outputs, dependencies, resources, dataSources, requiredVersions, needs } = found
  await nextMacrotask()
  const isJson = file.path.endsWith('.json')
  const { body, problems } = isJson ? readJsonFile(file.text) : await readNativeFile(file.text)
  const warn = (text: () => string) => warnings.add(() => `${file.path}:${text()}`)
  for (const problem of problems) warn(() => problem)
  /** Iterates over the blocks of a type, and lets the event loop continue in between. */
  const each = async (blocks: readonly ConfigBlock[], read: (block: ConfigBlock, name: string) => void) => {
    for (const block of blocks) {
      found.count += 1
      if (found.count % blocksPerStep === 0) await nextMacrotask()
      read(block, block.labels[0] ?? '')
    }
  }
  await each(body.blocks('variable', 1), (block, name) => {
    inputs.set(name, inputOf(name, block.body, inputs.get(name), warn))
  })
  await each(body.blocks('output', 1), (block, name) => {
    outputs.set(name, outputOf(name, block.body, outputs.get(name)))
  })
  await each(body.blocks('module', 1), (block, name) => {
    dependencies.set(name, dependencyOf(name, block.body, dependencies.get(name)))
    const source = block.body.value('source')
    if (source && isOutside(file.path, textOf(source) ?? ''))
      warn(() => `${source.where}: the source "${textOf(source)}" of module ${name} leaves the archive`)
  })
  for (const [type, into] of [
    ['resource', resources],
    ['data', dataSources],
  ] as const)
    await each(body.blocks(type, 2), (block) => {
      addResource(into, block)
      needs.addResource(block)
    })
  await each(body.blocks('terraform', 0), (block) => {
    const version = textOf(block.body.value('required_version'))
    if (version !== undefined) requiredVersions.push(version)
    needs.addSettings(block)
  })
  await each(body.blocks('provider', 1), (block) => needs.addProvider(block))
}

function inputOf(
  name: string,
  body: ConfigBody,
  before: Input | undefined,
  warn: (text: () => string) => void,
): Input {
  const type = body.value('type')
  const given = body.value('default')
  const constant = given?.constant
  if (given !== undefined && constant === undefined)
    warn(() => `${given.where}: the default of ${name} is not a constant: shown as null`)
  const isRequired = given === undefined && (before?.required ?? true)
  const sensitive = flagOf(body.value('sensitive')) ?? before?.sensitive
  const nullable = flagOf(body.value('nullable')) ?? before?.nullable
  return {
    name,
    // Very old releases wrote types in quotes.
    type:
      type === undefined
        ? (before?.type ?? '')
        : typeof type.constant === 'string'
          ? type.constant
          : type.text,
    description: textOf(body.value('description')) ?? before?.description ?? '',
    default: given === undefined ? (before?.default ?? '') : JSON.stringify(sorted(constant ?? null)),
    required: isRequired,
    ...(sensitive ? { sensitive } : {}),
    ...(nullable === false ? { nullable } : {}),
  }
}

function outputOf(name: string, body: ConfigBody, before: Output | undefined): Output {
  const sensitive = flagOf(body.value('sensitive')) ?? before?.sensitive
  return {
    name,
    description: textOf(body.value('description')) ?? before?.description ?? '',
    ...(sensitive ? { sensitive } : {}),
  }
}

const dependencyOf = (name: string, body: ConfigBody, before: Dependency | undefined): Dependency => ({
  name,
  source: textOf(body.value('source')) ?? before?.source ?? '',
  version: textOf(body.value('version')) ?? before?.version ?? '',
})

/** Whether the relative source of a file's module is not below the root of the archive. */
function isOutside(file: string, source: string): boolean {
  if (!/^\.\.?\//.test(source)) return false
  let depth = file.split('/').length - 1
  return source
    .replace(/\?.*/s, '')
    .split('/')
    .some((segment) => {
      if (segment === '..') depth -= 1
      else if (segment !== '.' && segment !== '') depth += 1
      return depth < 0
    })
}

function addResource(into: Map<string, Resource>, { labels: [type = '', name = ''] }: ConfigBlock): void {
  into.set(`${type}.${name}`, { name, type })
}

const textOf = (value: ConfigValue | undefined): string | undefined =>
  typeof value?.constant === 'string' ? value.constant : undefined

const flagOf = (value: ConfigValue | undefined): boolean | undefined =>
  typeof value?.constant === 'boolean' ? value.constant : undefined

/** Objects of the language have no order: their names are sorted. */
function sorted(value: Constant): Constant {
  if (Array.isArray(value)) return value.map((item: Constant) => sorted(item))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, item]) => [name, sorted(item)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
