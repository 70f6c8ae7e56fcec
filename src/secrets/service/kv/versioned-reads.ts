import type { Snapshot } from '../../../store/index.ts'
import { asFolder } from '../../kv1/index.ts'
import { defaultConfig, type KvConfig, readSecret, type Secret, type VersionView } from '../../kv2/index.ts'
import { type Core, mountIsGone, type Place } from '../core.ts'
import { kvConfigs, secrets } from '../records.ts'
import { type Listing, listFolder } from './list-folder.ts'
import { mountStillExists } from './mount-exists.ts'
import { pathProblem, type Result } from './paths.ts'
import { secretOf } from './stored-secret.ts'

/** What reading a version's data gives. */
export type DataFound =
  | { readonly kind: 'live'; readonly version: VersionView; readonly json: string }
  | { readonly kind: 'gone'; readonly version: VersionView }
  | { readonly kind: 'absent' }

/** Which secrets of a folder are listed; all of its direct children, and folders, by default. */
export interface SecretListing extends Omit<Listing, 'keep'> {
  /** Whether a name counts, by the secret of that name; folders have none. */
  readonly passes?: ((name: string, secret: Secret | undefined) => boolean) | undefined
}

const secretAt = (now: Snapshot, { mount }: Place, path: string): Secret | undefined => {
  const kept = secrets.get(now, mount.id, path)?.value.secret
  return kept && secretOf(kept)
}

/** What can be asked of versioned secrets; each answer is of a moment after the question. */
export type VersionedReads = ReturnType<typeof versionedReads>

/** @param readData - gives the data of a version; `undefined` when it was dropped meanwhile */
export function versionedReads(
  core: Core,
  readData: (incarnation: string, version: number) => Promise<string | undefined>,
) {
  const read = async (place: Place, path: string, version: number): Promise<Result<DataFound, never>> => {
    const refused = pathProblem(secrets.keyOf(place.mount.id, path), path, 'named')
    if (refused) return refused
    for (;;) {
      const now = await core.fresh()
      const kept = secrets.get(now, place.mount.id, path)?.value.secret
      const secret = kept && secretOf(kept)
      if (secret === undefined && !mountStillExists(now, place)) return mountIsGone(place.mount)
      const found = readSecret(secret, version, core.env().now)
      if (found.kind !== 'live' || secret === undefined)
        return { ok: true, value: found.kind === 'live' ? { kind: 'absent' } : found }
      const json = await readData(secret.incarnation, found.version.version)
      if (json !== undefined) return { ok: true, value: { json, ...found } }
      // Pruned or destroyed between both reads: the metadata, read again, says so.
    }
  }

  return {
    read,
    readMetadata: async (place: Place, path: string): Promise<Result<Secret | undefined, never>> => {
      const refused = pathProblem(secrets.keyOf(place.mount.id, path), path, 'named')
      if (refused) return refused
      const now = await core.fresh()
      const kept = secrets.get(now, place.mount.id, path)?.value.secret
      if (kept === undefined && !mountStillExists(now, place)) return mountIsGone(place.mount)
      return { ok: true, value: kept && secretOf(kept) }
    },
    /** The direct children of a folder, or all paths below it, in byte order. */
    list: async (
      place: Place,
      folder: string,
      { passes, ...listing }: SecretListing = {},
    ): Promise<Result<readonly string[], never>> => {
      const refused = pathProblem(secrets.keyOf(place.mount.id, folder), folder, 'folder')
      if (refused) return refused
      const now = await core.fresh()
      if (!mountStillExists(now, place)) return mountIsGone(place.mount)
      const value = await listFolder(
        async (range) => now.scan(range).map(({ key }) => key),
        secrets.keyOf(place.mount.id, ''),
        folder,
        passes === undefined
          ? listing
          : { ...listing, keep: (name) => passes(name, secretAt(now, place, asFolder(folder) + name)) },
      )
      return { ok: true, value }
    },
    readConfig: async (place: Place): Promise<Result<KvConfig, never>> => {
      const now = await core.fresh()
      if (!mountStillExists(now, place)) return mountIsGone(place.mount)
      return { ok: true, value: kvConfigs.get(now, place.mount.id)?.value.config ?? defaultConfig }
    },
    /**
     * Whether a path has a secret: decides between the rights to create and to update. Does not refresh the replica:
     * the mount look-up already has.
     */
    exists: ({ mount }: Place, path: string): boolean =>
      path !== '' && secrets.get(core.barrier.enter().view.stale(), mount.id, path) !== undefined,
  }
}
