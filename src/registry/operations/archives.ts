import { type Answer, type Env, type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { BlobRange, Snapshot } from '../../store/index.ts'
import { claimAddress } from '../claim-address.ts'
import { firstParagraph } from '../configuration/first-paragraph.ts'
import type { Module } from '../modules/model.ts'
import { addressProblem, foldName, formatAddress, type ModuleAddress } from '../modules/names.ts'
import { publishModule } from '../modules/publish.ts'
import { addressParts, contents, looseArchives, modules, type RegistryTx, versions } from '../records.ts'
import { type ReadModuleRefusal, versionNotFound } from '../refusals.ts'
import { parseVersion } from '../versions/number.ts'
import { latestVersion } from '../versions/order.ts'
import { type PublishedRecords, publishVersion } from '../versions/publish.ts'
import {
  type OpenableArchive,
  type PublishArchiveInput,
  type PublishedArchive,
  typeOf,
} from './archive-model.ts'
import { address, archiveBytes, archivedVersion, reader, version } from './arguments.ts'
import type { RegistryParts } from './parts.ts'
import { fullProblem, growthProblem } from './quota.ts'
import type { Reader } from './reader.ts'
import { findVersion } from './reads.ts'
import { expired, type Kept, notKept, takeArchive } from './take-archive.ts'

type Early =
  | 'quota_exceeded'
  | 'invalid_module_name'
  | 'invalid_version'
  | 'version_exists'
  | 'archives_not_kept'

/** Why a version cannot be published, as far as that is known before its upload. */
async function earlyProblem(
  parts: RegistryParts,
  address: ModuleAddress,
  wanted: string,
): Promise<Refused<Early> | undefined> {
  if (parts.blobs === undefined) return notKept
  const misnamed = addressProblem(address)
  if (misnamed) return misnamed
  const number = parseVersion(wanted)?.canonical
  if (number === undefined)
    return refuse(
      'invalid_version',
      `${JSON.stringify(wanted)} is not a version number: use numbers and dots, such as 1.2.0 or 2.0.0-beta1`,
    )
  const { now } = await parts.present()
  const module = modules.get(now, ...addressParts(address))?.value
  if (module?.versions.some((known) => known.number === number))
    return refuse('version_exists', `${formatAddress(module)} already has a version ${number}`, {
      version: number,
    })
  return fullProblem(parts, now, address.namespace, { versions: 1, bytes: 1, modules: module ? 0 : 1 })
}

/**
 * The download URL of an archive: next to the download endpoint, with hints for the downloader. Clients unpack the
 * whole archive, so the outer folder, if any, is part of the hint.
 */
const sourceOf = ({ archive, module }: Kept): string => {
  const folder = module.folder.slice(0, -1)
  // Other characters would be interpreted differently by some clients; there is only one folder, so any pattern finds
  // it.
  const shown = folder === '' ? '' : `//${/^[A-Za-z0-9._-]+$/.test(folder) ? folder : '*'}`
  return `./archive${shown}?archive=${archive.format}&checksum=sha256:${archive.sha256}`
}

/** A version to publish, perhaps a copy of one at an upstream. */
interface TakenArchive extends PublishArchiveInput {
  readonly pulledFrom?: string | undefined
}

/** Whether something in a namespace was published here: then nothing is copied into it from an upstream. */
export const isPublishedIn = (now: Snapshot, namespace: string): boolean =>
  modules.list(now, foldName(namespace)).some(({ value }) => value.pulledFrom === undefined)

/** Publishes a stored archive as a version of its module, which is created if it does not exist. */
function takeIn(
  parts: RegistryParts,
  tx: RegistryTx,
  env: Env,
  address: ModuleAddress,
  input: TakenArchive,
  kept: Kept,
) {
  const { archive, module: found } = kept
  const loose = tx.get(looseArchives, archive.blob)?.value
  if (!loose || loose.isDropped) return expired
  tx.delete(looseArchives, archive.blob)
  const { description, source, labels, pulledFrom } = input
  if (pulledFrom !== undefined && isPublishedIn(tx.now, address.namespace))
    return refuse('module_name_taken', `something was published in ${address.namespace} meanwhile`)
  const known = tx.get(modules, ...addressParts(address))?.value
  const owner = known ? undefined : input.owner
  const made = publishModule(known, { ...address, owner, description, source, labels }, env)
  if (!made.ok) return made
  const taken = known ? undefined : claimAddress(tx, made.state)
  if (taken) return taken
  const { root, submodules, warnings } = found
  const version = { version: input.version, source: sourceOf(kept), root, submodules, archive, warnings }
  const outcome = publishVersion(made.state, version, env, parts.limits)
  if (!outcome.ok) return outcome
  const added = { versions: 1, bytes: archive.size, modules: known ? 0 : 1 }
  const full = growthProblem(parts, tx, address.namespace, added)
  if (full) return full
  const module = describedByReadme(outcome.state, outcome.value)
  tx.put(modules, pulledFrom === undefined ? module : { ...module, pulledFrom })
  tx.put(versions, outcome.value.version)
  tx.put(contents, outcome.value.contents)
  const value: PublishedArchive = { number: outcome.value.version.number, warnings }
  return { ok: true, value, events: [...made.events, ...outcome.events] } as const
}

/** A module without a given description has the first paragraph of the README of its latest version. */
function describedByReadme(module: Module, { version, contents }: PublishedRecords): Module {
  const isOwn = module.description !== '' && module.descriptionFrom === undefined
  const description = isOwn ? '' : firstParagraph(contents.root.readme)
  if (description === '' || latestVersion(module.versions)?.number !== version.number) return module
  return { ...module, description, descriptionFrom: 'readme' }
}

/** Stores the bytes of an archive, and publishes them as a version. */
export async function publishTaken(
  parts: RegistryParts,
  address: ModuleAddress,
  input: TakenArchive,
  body: AsyncIterable<Uint8Array>,
) {
  const early = await earlyProblem(parts, address, input.version)
  if (early) return early
  const blob = parts.env().newId('blob')
  const announced = parts.archives.announce(blob)
  // Its failure is heard where the bytes end.
  announced.catch(() => undefined)
  const kept = await takeArchive(parts, { id: blob, announced }, input, body).catch(
    async (error: unknown) => {
      await announced.catch(() => undefined)
      await parts.archives.discard(blob)
      throw error
    },
  )
  await announced
  // A commit that throws may have taken effect: the sweep finds out whether its bytes are referenced.
  const published = kept.ok
    ? await parts.commit((tx, env) => takeIn(parts, tx, env, address, input, kept.value))
    : kept
  if (!published.ok) await parts.archives.discard(blob)
  return published
}

/** The operations on archives that the registry stores itself. */
export const archiveOperations = {
  /**
   * Why a version cannot be published with an archive, as far as this is known without reading it; `undefined` if it
   * can.
   *
   * @example await registry.checkPublish(vpc, '1.1.0')
   */
  checkPublish: operation({
    takes: [address, version],
    refuses: [
      'archives_not_kept',
      'invalid_module_name',
      'invalid_version',
      'version_exists',
      'quota_exceeded',
    ],
    run: async (
      parts: RegistryParts,
      address: ModuleAddress,
      version: string,
    ): Promise<Answer<undefined, Early>> =>
      (await earlyProblem(parts, address, version)) ?? { ok: true, value: undefined },
  }),
  /**
   * Publishes a version with its archive, a tar.gz or a zip, which the registry stores and serves unchanged. The
   * documentation of the module is read from it. A missing module is created.
   *
   * @example
   * ```ts
   * import { readFile } from 'node:fs/promises'
   * import { directoryBlobs } from 'plinth/node'
   * import { createRegistry } from 'plinth/registry'
   * import { memoryStore } from 'plinth/store'
   *
   * async function publish(file: string) {
   *   const blobs = await directoryBlobs('/var/lib/plinth/modules')
   *   const registry = createRegistry({ store: memoryStore(), blobs })
   *   const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
   *   return registry.publishArchive(vpc, { version: '1.0.0' }, new Blob([await readFile(file)]).stream())
   * }
   * ```
   */
  publishArchive: operation({
    takes: [address, archivedVersion, archiveBytes],
    refuses: [
      'archives_not_kept',
      'invalid_module_name',
      'text_too_long',
      'module_name_taken',
      'invalid_version',
      'version_exists',
      'upload_interrupted',
      'archive_too_large',
      'invalid_archive',
      'not_a_module',
      'publish_expired',
      'invalid_source',
      'invalid_submodule',
      'version_too_large',
      'module_too_large',
      'quota_exceeded',
    ],
    run: (
      parts: RegistryParts,
      address: ModuleAddress,
      input: PublishArchiveInput,
      body: AsyncIterable<Uint8Array>,
    ) => publishTaken(parts, address, input, body),
  }),
  /**
   * Finds the archive of a version, if this registry stores it.
   *
   * @example await registry.findArchive(vpc, '2.0.0')
   */
  findArchive: operation({
    takes: [address, version, reader],
    refuses: ['module_not_found', 'module_moved', 'version_not_found'],
    run: async (
      parts: RegistryParts,
      address: ModuleAddress,
      wanted: string,
      reader?: Reader,
    ): Promise<Answer<OpenableArchive, ReadModuleRefusal | 'version_not_found'>> => {
      const found = await findVersion(parts, address, wanted, reader)
      if (!found.ok) return found
      const { archive, publishedMicros } = found.value
      if (!archive) return versionNotFound(address, wanted)
      const open = async (range?: BlobRange) => (await parts.blobs?.get(archive.blob, range))?.body
      const addresses = parts.blobs?.addresses
      const type = typeOf[archive.format]
      const directly = addresses && (() => addresses.download(archive.blob, { seconds: 900, type }))
      return { ok: true, value: { ...archive, publishedMicros, open, address: directly } }
    },
  }),
}
