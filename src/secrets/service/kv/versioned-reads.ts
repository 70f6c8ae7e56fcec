import type { Snapshot } from '../../../store/index.ts'
import { hasValue } from '../../../store/replica/read-values.ts'
import { asFolder } from '../../kv1/index.ts'
import { defaultConfig, type KvConfig, readSecret, type Secret, type VersionView } from '../../kv2/index.ts'
import type { Sited } from '../core/context.ts'
import { type Core, mountIsGone, type Place } from '../core/core.ts'
import { mountStillExists } from '../core/mount-exists.ts'
import { pathKey } from '../core/path-key.ts'
import { pathProblem, type Result } from '../core/paths.ts'
import { listFolder } from './list-folder.ts'
import type { Listing } from './listing.ts'
import { kvConfigs, secretOf, secrets } from './records.ts'
import { readData } from './version-data.ts'

/** The result of reading a version's data. */
export type DataFound =
  | { readonly kind: 'live'; readonly version: VersionView; readonly json: string }
  | { readonly kind: 'gone'; readonly version: VersionView }
  | { readonly kind: 'absent' }

/** The secrets of a folder to list; all of its direct children, and folders, by default. */
export interface SecretListing extends Omit<Listing, 'keep'> {
  /** Whether a name is listed, depending on the secret of that name; folders have none. */
  readonly passes?: ((name: string, secret: Secret | undefined) => boolean) | undefined
}

type Kept = ReturnType<typeof secrets.stored>['value']

/** Records no older than the call, in the given order. */
async function recordsAt(
  core: Core,
  now: Snapshot,
  keys: readonly string[],
): Promise<readonly (Kept | undefined)[]> {
  const held = keys.map(now.get)
  // The replica holds keys, and recently read records.
  const isWhole = held.every((entry) => entry === undefined || hasValue(entry))
  const entries = isWhole ? held : await core.barrier.enter().view.load(keys)
  return entries.map((entry) => entry && secrets.stored(entry).value)
}

/** Secrets no older than the call, in the given order. */
async function secretsAt(
  core: Core,
  now: Snapshot,
  { mount }: Place,
  paths: readonly string[],
): Promise<readonly (Secret | undefined)[]> {
  const keys = paths.map((path) => pathKey(core.crypto, secrets, mount.id, path).key)
  const records = await recordsAt(core, now, keys)
  return records.map((record, at) =>
    record?.path === paths[at] ? record && secretOf(record.secret) : undefined,
  )
}

/** Reads a version, no older than the call; 0 for the current one. */
export async function readVersion(
  at: Sited,
  path: string,
  version: number,
): Promise<Result<DataFound, never>> {
  const { core } = at
  const refused = pathProblem(path, 'named')
  if (refused) return refused
  for (;;) {
    const now = await core.fresh()
    const [secret] = await secretsAt(core, now, at, [path])
    if (secret === undefined && !mountStillExists(now, at)) return mountIsGone(at.mount)
    const found = readSecret(secret, version, core.env().now)
    if (found.kind !== 'live' || secret === undefined)
      return { ok: true, value: found.kind === 'live' ? { kind: 'absent' } : found }
    const json = await readData(core, secret.incarnation, found.version.version)
    if (json !== undefined) return { ok: true, value: { json, ...found } }
    // Pruned or destroyed between both reads: the metadata, read again, says so.
  }
}

export async function readMetadata(at: Sited, path: string): Promise<Result<Secret | undefined, never>> {
  const { core } = at
  const refused = pathProblem(path, 'named')
  if (refused) return refused
  const now = await core.fresh()
  const [secret] = await secretsAt(core, now, at, [path])
  if (secret === undefined && !mountStillExists(now, at)) return mountIsGone(at.mount)
  return { ok: true, value: secret }
}

/** The direct children of a folder, or all paths below it, in byte order. */
export async function listSecrets(
  at: Sited,
  folder: string,
  { passes, ...listing }: SecretListing = {},
): Promise<Result<readonly string[], never>> {
  const { core } = at
  const refused = pathProblem(folder, 'folder')
  if (refused) return refused
  const now = await core.fresh()
  if (!mountStillExists(now, at)) return mountIsGone(at.mount)
  const value = await listFolder(
    {
      base: secrets.keyOf(at.mount.id, ''),
      scan: (range) => now.scan(range).map(({ key }) => key),
      pathsAt: async (keys) => (await recordsAt(core, now, keys)).map((record) => record?.path),
    },
    folder,
    passes === undefined
      ? listing
      : {
          ...listing,
          keep: async (names) => {
            const paths = names.map((name) => asFolder(folder) + name)
            const found = await secretsAt(core, now, at, paths)
            return names.filter((name, at) => passes(name, found[at]))
          },
        },
  )
  return { ok: true, value }
}

export async function readConfig(at: Sited): Promise<Result<KvConfig, never>> {
  const { core } = at
  const now = await core.fresh()
  if (!mountStillExists(now, at)) return mountIsGone(at.mount)
  return { ok: true, value: kvConfigs.get(now, at.mount.id)?.value.config ?? defaultConfig }
}

/**
 * Whether a secret exists: decides between the rights to create and to update. Does not refresh the replica: the
 * mount look-up already has.
 */
export const secretExists = ({ core, mount }: Sited, path: string): boolean =>
  pathProblem(path) === undefined &&
  core.barrier
    .enter()
    .view.stale()
    .get(pathKey(core.crypto, secrets, mount.id, path).key) !== undefined
