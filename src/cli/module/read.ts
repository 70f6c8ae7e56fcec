import { formatAddress } from '../../registry/modules/names.ts'
import { textOf } from '../box/catalog-client.ts'
import type { Format } from '../client/flags.ts'
import { membersOf } from '../client/members.ts'
import { printData, printRows, printTable } from '../client/print.ts'
import {
  moduleAddressOf,
  modulePath,
  readFields,
  registryClient,
  versionPath,
  versionsAt,
} from './registry-client.ts'

interface ReadFlags {
  readonly to: string | undefined
  readonly format: Format
}

/** `plinth module list [NAMESPACE]` */
export async function listCommand(
  {
    to,
    format,
    provider,
    verified,
    search,
  }: ReadFlags & {
    readonly provider: readonly string[]
    readonly verified: boolean
    readonly search: string | undefined
  },
  [namespace]: readonly [string?],
): Promise<void> {
  const registry = registryClient(to, { isReader: true })
  const query = new URLSearchParams(provider.map((each): [string, string] => ['provider', each]))
  if (verified) query.set('verified', 'true')
  if (search !== undefined) query.set('q', search)
  if (namespace !== undefined) query.set('namespace', namespace)
  const below = namespace === undefined ? '' : `/${encodeURIComponent(namespace)}`
  const modules: Readonly<Record<string, unknown>>[] = []
  for (let offset = 0; ; ) {
    query.set('limit', '100')
    query.set('offset', String(offset))
    const path = `v1/modules${search === undefined ? below : '/search'}?${query}`
    const page = await readFields(registry, path, 'list the modules')
    if (Array.isArray(page['modules'])) modules.push(...page['modules'].map(membersOf))
    const next = membersOf(page['meta'])['next_offset']
    if (typeof next !== 'number' || next <= offset) break
    offset = next
  }
  if (printData(format, modules)) return
  printTable(
    ['Module', 'Version', 'Downloads', 'Verified', 'Description'],
    modules.map(({ namespace, name, provider, version, downloads, verified, description }) => {
      const address = `${namespace}/${name}/${provider}`
      return [address, version, downloads, verified === true ? 'yes' : 'no', description]
    }),
  )
}

/** `plinth module show NAMESPACE/NAME/PROVIDER [VERSION]` */
export async function showCommand(
  { to, format }: ReadFlags,
  [module, version]: readonly [string, string?],
): Promise<void> {
  const address = moduleAddressOf(module)
  const registry = registryClient(to, { isReader: true })
  const path = version === undefined ? modulePath(address) : versionPath(address, version)
  const found = await readFields(registry, path, `show ${module}`)
  if (printData(format, found)) return
  const { inputs, outputs, dependencies, providers } = membersOf(found['root'])
  const names = (of: unknown, note = (_: Readonly<Record<string, unknown>>) => '') =>
    (Array.isArray(of) ? of : []).map((each) => `${textOf(membersOf(each), 'name')}${note(membersOf(each))}`)
  const deprecation = membersOf(found['deprecation'])
  const lists: Readonly<Record<string, unknown>> = {
    labels: found['labels'],
    inputs: names(inputs, ({ required }) => (required === true ? ' (required)' : '')),
    outputs: names(outputs),
    providers: names(providers, ({ version }) => (version ? ` ${version}` : '')),
    modules: names(dependencies, ({ source }) => ` ${source}`),
    versions: found['versions'],
    warnings: found['warnings'],
  }
  printRows([
    ['module', formatAddress(address)],
    ...['version', 'description', 'source', 'owner', 'published_at', 'downloads', 'verified'].map(
      (name) => [name, found[name]] as const,
    ),
    ...(deprecation['reason'] === undefined ? [] : [['deprecated', deprecation['reason']] as const]),
    ...Object.entries(lists).flatMap(([name, all]) =>
      Array.isArray(all) && all.length > 0 ? [[name, all.join(', ')] as const] : [],
    ),
  ])
}

/** `plinth module versions NAMESPACE/NAME/PROVIDER` */
export async function versionsCommand({ to, format }: ReadFlags, [module]: readonly [string]): Promise<void> {
  const registry = registryClient(to, { isReader: true })
  const address = moduleAddressOf(module)
  // The list of an unknown module is empty, its own page says that there is none.
  await readFields(registry, modulePath(address), `list the versions of ${module}`)
  const versions = await versionsAt(registry, address)
  if (printData(format, versions)) return
  printTable(
    ['Version', 'Deprecated'],
    versions.map(({ version, deprecation }) => [version, membersOf(deprecation)['reason'] ?? 'no']),
  )
}
