import type { Answer } from '../kernel/index.ts'
import { windowOf } from '../search/index.ts'
import type { Tally } from '../store/background/tally.ts'
import { prefixOf, type Replica } from '../store/index.ts'
import { withWaiting } from './download-counter.ts'
import { type DownloadSummary, summarizeDownloads } from './downloads/summary.ts'
import type { Follower, Present } from './follow.ts'
import { lru } from './lru.ts'
import type { Module } from './modules/model.ts'
import { foldName, type ModuleAddress } from './modules/names.ts'
import { addressParts, contents, counters, modules, moves, versions } from './records.ts'
import {
  moduleMoved,
  moduleNotFound,
  moduleUnversioned,
  type ReadModuleRefusal,
  versionNotFound,
} from './refusals.ts'
import type { DirectoryQuery } from './search/query.ts'
import type { Excerpt, ModuleRow } from './search/row.ts'
import type { ModuleDetails } from './versions/details.ts'
import type { Version } from './versions/model.ts'
import { parseVersion } from './versions/number.ts'

/**
 * Who reads: which namespaces that reader may see. Modules elsewhere do not exist for them.
 *
 * @public
 */
export interface Reader {
  /** Who it is, for `onRequest`; nobody in particular by default. */
  readonly name?: string | undefined
  /** Every namespace by default. */
  readonly namespaces?: readonly string[] | undefined
}

/**
 * A stretch of a list.
 *
 * @public
 */
export interface ListWindow extends Omit<DirectoryQuery, 'visible'> {
  /** How many to skip; 0 by default. */
  readonly offset?: number | undefined
  /** How many to give; 15 by default. */
  readonly limit?: number | undefined
}

/**
 * The methods of a registry that read. Each may be given a {@link Reader}, whose view it then takes.
 *
 * @public
 */
export interface RegistryReads {
  /** Modules in order of namespace, name and provider, each at its latest version. */
  readonly list: (query?: ListWindow, reader?: Reader) => Promise<Excerpt<ModuleRow>>
  /**
   * Modules that every word of a text meets, best first; see {@link searchPoints}.
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
  readonly search: (text: string, query?: ListWindow, reader?: Reader) => Promise<Excerpt<ModuleRow>>
  /** One module name for every provider, in order of provider. */
  readonly listProviders: (
    of: { readonly namespace: string; readonly name: string },
    reader?: Reader,
  ) => Promise<Answer<readonly ModuleRow[], ReadModuleRefusal>>
  /** One version of a module, the latest by default, with all that is known about it. */
  readonly readModule: (
    address: ModuleAddress,
    version?: string,
    reader?: Reader,
  ) => Promise<Answer<ModuleDetails, ReadModuleRefusal | 'version_not_found'>>
  /**
   * Every version of a module, oldest first, with what each needs.
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
  readonly listVersions: (
    address: ModuleAddress,
    reader?: Reader,
  ) => Promise<Answer<{ readonly row: ModuleRow; readonly versions: readonly Version[] }, ReadModuleRefusal>>
  /** Where to fetch a version, without counting a download. */
  readonly locateVersion: (
    address: ModuleAddress,
    version: string,
    reader?: Reader,
  ) => Promise<Answer<Version, ReadModuleRefusal | 'version_not_found'>>
  /** How often a module was downloaded, as of now. */
  readonly downloads: (
    address: ModuleAddress,
    reader?: Reader,
  ) => Promise<Answer<{ readonly row: ModuleRow; readonly summary: DownloadSummary }, ReadModuleRefusal>>
}

/**
 * The method of a registry that clients come for.
 *
 * @public
 */
export interface RegistryDownloads {
  /**
   * Says where to fetch a version, and counts the download.
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
  readonly download: (
    address: ModuleAddress,
    version: string,
    reader?: Reader,
  ) => Promise<Answer<Version, ReadModuleRefusal | 'version_not_found'>>
}

/** What the methods that read need. */
export interface Sources {
  readonly open: () => Promise<{ readonly view: Replica; readonly follower: Follower }>
  readonly tally: Tally
  readonly now: () => number
}

/** A registry as of one moment, with the downloads that were noted and are in none of its records yet. */
interface Counted extends Present {
  readonly waiting: ReadonlyMap<string, number>
}

/** Part of a list, with those downloads. */
const counted = ({ rows, total }: Excerpt<ModuleRow>, waiting: Counted['waiting']): Excerpt<ModuleRow> => ({
  rows: rows.map((row) => withWaiting(row, waiting)),
  total,
})

const maySee = (reader: Reader, namespace: string): boolean =>
  reader.namespaces?.some((seen) => foldName(seen) === foldName(namespace)) ?? true

/** How many versions of recently listed modules are kept at hand, all modules together. */
const versionsKept = 50_000

const everyone: Reader = {}
const visibleTo = ({ namespaces }: Reader) => (namespaces ? { visible: namespaces } : {})

const defaultLimit = 15

/** Reads for {@link RegistryReads}. */
export function reading({ open, tally, now }: Sources): RegistryReads {
  const listed = lru<Module, readonly Version[]>(versionsKept, (list) => list.length + 1)
  const present = async (): Promise<Counted> => {
    const { view, follower } = await open()
    await view.fresh()
    await tally.rested()
    return { waiting: tally.waiting(), ...follower.present() }
  }
  /** The module at an address that is listed, or where it went, or that it is not there. */
  const locate = (
    { now: snapshot, directory, whereIs, waiting }: Counted,
    address: ModuleAddress,
    reader: Reader,
  ): Answer<ModuleRow, ReadModuleRefusal> => {
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

  return {
    list: async (query = {}, reader = everyone) => {
      const { offset, limit } = windowOf(query, defaultLimit)
      const { directory, waiting } = await present()
      return counted(directory.list({ ...query, ...visibleTo(reader) }, offset, limit), waiting)
    },
    search: async (text, query = {}, reader = everyone) => {
      const { offset, limit } = windowOf(query, defaultLimit)
      const { directory, waiting } = await present()
      return counted(directory.search(text, { ...query, ...visibleTo(reader) }, offset, limit), waiting)
    },
    listProviders: async (of, reader = everyone) => {
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
    readModule: async (address, wanted, reader = everyone) => {
      const state = await present()
      const located = locate(state, address, reader)
      if (!located.ok) return located
      const row = located.value
      const number = wanted === undefined ? row.version : parseVersion(wanted)?.canonical
      const published = modules.get(state.now, ...addressParts(row))?.value.versions ?? []
      const version = published.find((each) => each.number === number)
      if (!version) return versionNotFound(row, wanted ?? row.version)
      const key = contents.keyOf(row.id, version.number)
      const [entry] = await (await open()).view.store.read((store) => store.get([key]))
      if (!entry) return versionNotFound(row, version.number)
      return {
        ok: true,
        value: {
          row,
          version,
          contents: contents.stored(entry).value,
          providers: state.directory.group(row.namespace, row.name).map(({ provider }) => provider),
          versions: published.map((each) => each.number),
        },
      }
    },
    listVersions: async (address, reader = everyone) => {
      const state = await present()
      const located = locate(state, address, reader)
      if (!located.ok) return located
      const row = located.value
      const module = modules.get(state.now, ...addressParts(row))?.value
      if (!module) return moduleNotFound(address)
      // Every change of its versions replaces a module's record, so one record is one list.
      const known = listed.get(module.id, module)
      if (known) return { ok: true, value: { row, versions: known } }
      const prefix = prefixOf(versions.name, row.id)
      const entries = await (await open()).view.store.read((store) => store.scan({ prefix }))
      const byNumber = new Map(entries.map(versions.stored).map(({ value }) => [value.number, value]))
      const list = Object.freeze(module.versions.flatMap(({ number }) => byNumber.get(number) ?? []))
      listed.set(module.id, module, list)
      return { ok: true, value: { row, versions: list } }
    },
    locateVersion: async (address, wanted, reader = everyone) => {
      const located = locate(await present(), address, reader)
      if (!located.ok) return located
      const row = located.value
      const number = parseVersion(wanted)?.canonical
      if (number === undefined) return versionNotFound(row, wanted)
      const key = versions.keyOf(row.id, number)
      const [entry] = await (await open()).view.store.read((store) => store.get([key]))
      return entry ? { ok: true, value: versions.stored(entry).value } : versionNotFound(row, wanted)
    },
    downloads: async (address, reader = everyone) => {
      await tally.settled()
      const state = await present()
      const located = locate(state, address, reader)
      if (!located.ok) return located
      const counter = counters.get(state.now, located.value.id)?.value
      return { ok: true, value: { row: located.value, summary: summarizeDownloads(counter, now()) } }
    },
  }
}
