import type { Answer } from '../../kernel/index.ts'
import { optionalArgument } from '../../operation/arguments.ts'
import { operation } from '../../operation/operation.ts'
import { windowOf } from '../../search/index.ts'
import { prefixOf } from '../../store/index.ts'
import { withWaiting } from '../download-counter.ts'
import { type DownloadSummary, summarizeDownloads } from '../downloads/summary.ts'
import { foldName, type ModuleAddress } from '../modules/names.ts'
import { addressParts, contents, counters, modules, moves, versions } from '../records.ts'
import {
  moduleMoved,
  moduleNotFound,
  moduleUnversioned,
  type ReadModuleRefusal,
  versionNotFound,
} from '../refusals.ts'
import type { Excerpt, ModuleRow } from '../search/row.ts'
import type { VersionsOf } from '../version-list-encoder.ts'
import type { ModuleDetails } from '../versions/details.ts'
import type { ListedVersion, Version } from '../versions/model.ts'
import { parseVersion } from '../versions/number.ts'
import { address, moduleName, query, reader, text, version } from './arguments.ts'
import type { Counted, RegistryParts } from './parts.ts'
import type { ListWindow, Reader } from './reader.ts'

/** Part of a list, with downloads that are not stored yet. */
const counted = ({ rows, total }: Excerpt<ModuleRow>, waiting: Counted['waiting']): Excerpt<ModuleRow> => ({
  rows: rows.map((row) => withWaiting(row, waiting)),
  total,
})

/** Whether a reader may see the modules of a namespace. */
export const maySee = (reader: Reader, namespace: string): boolean =>
  reader.namespaces?.some((seen) => foldName(seen) === foldName(namespace)) ?? true

const anonymous: Reader = {}
const visibleTo = ({ namespaces }: Reader) => (namespaces ? { visible: namespaces } : {})

const defaultLimit = 15

/** The listed module at an address, a redirect, or a refusal. */
function locate(
  { now: snapshot, directory, whereIs, waiting }: Counted,
  address: ModuleAddress,
  reader: Reader,
): Answer<ModuleRow, ReadModuleRefusal> {
  if (!maySee(reader, address.namespace)) return moduleNotFound(address)
  const row = directory.get(address)
  if (row) return { ok: true, value: withWaiting(row, waiting) }
  const moved = moves.get(snapshot, ...addressParts(address))
  const to = moved && whereIs(moved.value.moduleId)
  if (to && maySee(reader, to.namespace)) return moduleMoved(address, to)
  return modules.get(snapshot, ...addressParts(address))
    ? moduleUnversioned(address)
    : moduleNotFound(address)
}

/** The location of a version, without counting a download. */
export async function findVersion(
  { present, read }: RegistryParts,
  address: ModuleAddress,
  wanted: string,
  reader: Reader = anonymous,
): Promise<Answer<Version, ReadModuleRefusal | 'version_not_found'>> {
  const located = locate(await present(), address, reader)
  if (!located.ok) return located
  const row = located.value
  const number = parseVersion(wanted)?.canonical
  if (number === undefined) return versionNotFound(row, wanted)
  const [entry] = await read((store) => store.get([versions.keyOf(row.id, number)]))
  return entry ? { ok: true, value: versions.stored(entry).value } : versionNotFound(row, wanted)
}

const readingModule = ['module_not_found', 'module_moved'] as const
const readingVersion = [...readingModule, 'version_not_found'] as const

/** The read operations of a registry. Each accepts a {@link Reader}, which limits its view. */
export const readOperations = {
  /**
   * Modules in order of namespace, name and provider, each at its latest version.
   *
   * @example await registry.list({ limit: 20 })
   */
  list: operation({
    takes: [query, reader],
    refuses: [],
    run: async ({ present }: RegistryParts, query: ListWindow = {}, reader: Reader = anonymous) => {
      const { offset, limit } = windowOf(query, defaultLimit)
      const { directory, waiting } = await present()
      return counted(directory.list({ ...query, ...visibleTo(reader) }, offset, limit), waiting)
    },
  }),
  /**
   * Modules that match every word of a text, best first; see {@link searchPoints}.
   *
   * @example
   * ```ts
   * import { createRegistry } from 'plinth/registry'
   *
   * const registry = createRegistry()
   * const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
   * await registry.publishModule({ ...vpc, description: 'A private network' })
   * for (const version of ['1.0.0', '1.10.0', '1.9.0'])
   *   await registry.publishVersion(vpc, { version, source: `https://example.com/vpc-${version}.zip` })
   *
   * const found = await registry.search('network', { provider: 'aws' })
   * found.rows.map(({ name, version }) => `${name} ${version}`) // ['vpc 1.10.0']
   * found.total // 1
   * await registry.close()
   * ```
   */
  search: operation({
    takes: [text, query, reader],
    refuses: [],
    run: async (
      { present }: RegistryParts,
      text: string,
      query: ListWindow = {},
      reader: Reader = anonymous,
    ) => {
      const { offset, limit } = windowOf(query, defaultLimit)
      const { directory, waiting } = await present()
      return counted(directory.search(text, { ...query, ...visibleTo(reader) }, offset, limit), waiting)
    },
  }),
  /**
   * One module name for every provider, in order of provider.
   *
   * @example await registry.listProviders({ namespace: 'acme', name: 'vpc' })
   */
  listProviders: operation({
    takes: [moduleName, reader],
    refuses: readingModule,
    run: async (
      { present }: RegistryParts,
      of: Pick<ModuleAddress, 'namespace' | 'name'>,
      reader: Reader = anonymous,
    ): Promise<Answer<readonly ModuleRow[], ReadModuleRefusal>> => {
      const { now: snapshot, directory, whereIs, waiting } = await present()
      const missing = moduleNotFound({ ...of, provider: '*' })
      if (!maySee(reader, of.namespace)) return missing
      const rows = directory.group(of.namespace, of.name)
      if (rows.length > 0) return { ok: true, value: rows.map((row) => withWaiting(row, waiting)) }
      const [moved] = moves.list(snapshot, foldName(of.namespace), foldName(of.name))
      const to = moved && whereIs(moved.value.moduleId)
      if (to && maySee(reader, to.namespace)) return moduleMoved({ ...of, provider: '*' }, to)
      const [unversioned] = modules.list(snapshot, foldName(of.namespace), foldName(of.name))
      return unversioned ? moduleUnversioned({ ...of, provider: '*' }) : missing
    },
  }),
  /**
   * One version of a module, the latest by default, with all its data.
   *
   * @example await registry.readModule({ namespace: 'acme', name: 'vpc', provider: 'aws' }, '1.0.0')
   */
  readModule: operation({
    takes: [address, optionalArgument(version), reader],
    refuses: readingVersion,
    run: async (
      { present, read }: RegistryParts,
      address: ModuleAddress,
      version?: string,
      reader: Reader = anonymous,
    ): Promise<Answer<ModuleDetails, ReadModuleRefusal | 'version_not_found'>> => {
      const state = await present()
      const located = locate(state, address, reader)
      if (!located.ok) return located
      const row = located.value
      const number = version === undefined ? row.version : parseVersion(version)?.canonical
      const published = modules.get(state.now, ...addressParts(row))?.value.versions ?? []
      const found = published.find((each) => each.number === number)
      if (!found) return versionNotFound(row, version ?? row.version)
      const [entry] = await read((store) => store.get([contents.keyOf(row.id, found.number)]))
      if (!entry) return versionNotFound(row, found.number)
      return {
        ok: true,
        value: {
          row,
          version: found,
          contents: contents.stored(entry).value,
          providers: state.directory.group(row.namespace, row.name).map(({ provider }) => provider),
          versions: published.map((each) => each.number),
        },
      }
    },
  }),
  /**
   * Every version of a module, oldest first, with their dependencies.
   *
   * @example
   * ```ts
   * import { createRegistry } from 'plinth/registry'
   *
   * const registry = createRegistry()
   * const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
   * await registry.publishModule({ ...vpc, description: 'A private network' })
   * for (const version of ['1.0.0', '1.10.0', '1.9.0'])
   *   await registry.publishVersion(vpc, { version, source: `https://example.com/vpc-${version}.zip` })
   *
   * const listed = await registry.listVersions(vpc)
   * listed.ok && listed.value.versions.map(({ number }) => number) // ['1.0.0', '1.9.0', '1.10.0']
   * await registry.close()
   * ```
   */
  listVersions: operation({
    takes: [address, reader],
    refuses: readingModule,
    run: async (
      { present, read, listed }: RegistryParts,
      address: ModuleAddress,
      reader: Reader = anonymous,
    ): Promise<Answer<VersionsOf, ReadModuleRefusal>> => {
      const state = await present()
      const located = locate(state, address, reader)
      if (!located.ok) return located
      const row = located.value
      const module = modules.get(state.now, ...addressParts(row))?.value
      if (!module) return moduleNotFound(address)
      // Every change of its versions replaces a module's record, so a record identifies its list.
      const known = listed.get(module.id)
      if (known?.module === module) return { ok: true, value: { row, versions: known.list } }
      const prefix = prefixOf(versions.name, row.id)
      const entries = await read((store) => store.scan({ prefix }))
      const byNumber = new Map(entries.map(versions.stored).map(({ value }) => [value.number, value]))
      const list = Object.freeze(
        module.versions.flatMap(({ number, publishedMicros, deprecation }): readonly ListedVersion[] => {
          const version = byNumber.get(number)
          if (version === undefined) return []
          const mark = deprecation === undefined ? {} : { deprecation }
          return [Object.assign({}, version, { publishedMicros }, mark)]
        }),
      )
      listed.set(module.id, { module, list })
      return { ok: true, value: { row, versions: list } }
    },
  }),
  /**
   * The location of a version, without counting a download.
   *
   * @example await registry.locateVersion({ namespace: 'acme', name: 'vpc', provider: 'aws' }, '1.0.0')
   */
  locateVersion: operation({ takes: [address, version, reader], refuses: readingVersion, run: findVersion }),
  /**
   * Returns the location of a version, and counts the download.
   *
   * @example
   * ```ts
   * import { createRegistry } from 'plinth/registry'
   *
   * const registry = createRegistry()
   * const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
   * await registry.publishModule({ ...vpc, description: 'A private network' })
   * for (const version of ['1.0.0', '1.10.0', '1.9.0'])
   *   await registry.publishVersion(vpc, { version, source: `https://example.com/vpc-${version}.zip` })
   *
   * const version = await registry.download(vpc, '1.9.0')
   * version.ok && version.value.source // 'https://example.com/vpc-1.9.0.zip'
   * const counted = await registry.downloads(vpc)
   * counted.ok && counted.value.summary.total // 1
   * await registry.close()
   * ```
   */
  download: operation({
    takes: [address, version, reader],
    refuses: readingVersion,
    run: async (parts: RegistryParts, address: ModuleAddress, version: string, reader?: Reader) => {
      const found = await findVersion(parts, address, version, reader)
      if (found.ok) parts.tally.note(found.value.moduleId)
      return found
    },
  }),
  /**
   * The current download counts of a module.
   *
   * @example await registry.downloads({ namespace: 'acme', name: 'vpc', provider: 'aws' })
   */
  downloads: operation({
    takes: [address, reader],
    refuses: readingModule,
    run: async (
      { present, tally, env }: RegistryParts,
      address: ModuleAddress,
      reader: Reader = anonymous,
    ): Promise<Answer<{ readonly row: ModuleRow; readonly summary: DownloadSummary }, ReadModuleRefusal>> => {
      await tally.settled()
      const state = await present()
      const located = locate(state, address, reader)
      if (!located.ok) return located
      const counter = counters.get(state.now, located.value.id)?.value
      return { ok: true, value: { row: located.value, summary: summarizeDownloads(counter, env().now) } }
    },
  }),
}
