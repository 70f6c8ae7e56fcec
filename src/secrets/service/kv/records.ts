import { collection } from '../../../store/index.ts'
import type { KvConfig, Secret, SecretVersion } from '../../kv2/index.ts'
import { type KeptPath, pathParts } from '../core/path-key.ts'

/** No client waits on lists of secrets: no marks are raised for them. */
const noScopes = () => []

/** The settings of key/value mounts, if they were ever changed. */
export const kvConfigs = collection<{ readonly mount: string; readonly config: KvConfig }>({
  name: 'kvconfig',
  key: ({ mount }) => [mount],
  scopes: noScopes,
})

/** Versioned secrets without their data. Replicas hold their keys, which lists use; the rest is read on demand. */
export const secrets = collection<
  KeptPath & {
    readonly mount: string
    readonly secret: StoredSecret
    /** The versions whose data is in pieces; omitted if there are none. */
    readonly large?: readonly number[]
  }
>({
  name: 'kv2',
  key: (record) => [record.mount, ...pathParts(record)],
  scopes: noScopes,
  values: 'read',
})

/** Where the pieces of a long text are. */
export interface Pieces {
  readonly id: string
  readonly count: number
}

/** The JSON text of a secret's data as a record keeps it. */
export interface KeptText {
  /** Empty if the text is in pieces. */
  readonly json: string
  /** The pieces of a text that is too long for one commit; omitted for others. */
  readonly pieces?: Pieces
}

/** The data of each version, under the secret's incarnation. Not replicated. */
export const versionData = collection<KeptText & { readonly incarnation: string; readonly version: number }>({
  name: 'kv2data',
  key: ({ incarnation, version }) => [incarnation, version],
  scopes: noScopes,
})

/** The paths of unversioned secrets, for lists. */
export const entryNames = collection<
  KeptPath & {
    readonly mount: string
    /** The pieces of the secret's text; omitted if it is not in pieces. */
    readonly pieces?: Pieces
  }
>({
  name: 'kv1',
  key: (record) => [record.mount, ...pathParts(record)],
  scopes: noScopes,
})

/** The data of unversioned secrets. Not replicated. */
export const entries = collection<KeptPath & { readonly mount: string; readonly json: string }>({
  name: 'kv1data',
  key: (record) => [record.mount, ...pathParts(record)],
  scopes: noScopes,
})

/** The pieces of long texts of both kinds of secrets. Not replicated. */
export const textPieces = collection<{
  readonly id: string
  readonly piece: number
  readonly text: string
}>({
  name: 'kvpiece',
  key: ({ id, piece }) => [id, piece],
  scopes: noScopes,
})

/** The texts whose pieces are being stored, and when they are given up: no other record refers to them yet. */
export const unfinishedTexts = collection<{ readonly id: string; readonly until: number }>({
  name: 'kvunfinished',
  key: ({ id }) => [id],
  scopes: noScopes,
})

/**
 * A secret's metadata as stored: the versions in two flat arrays. A map with numeric keys takes four times the space
 * and as much longer to serialize, and every write serializes it.
 */
export interface StoredSecret extends Omit<Secret, 'versions'> {
  /** Two numbers for each version: its number, and how long after the secret's creation it was written. */
  readonly versions: readonly number[]
  /**
   * Three numbers for each version with an end: its number, the time of the end (or null), and how: {@link endings}.
   */
  readonly ended: readonly (number | null)[]
}

/** How a version ends, as bits: by expiry unless it was deleted then; and its data may be erased. */
const endings = { destroyed: 1, deleted: 2 } as const

// Field by field: this runs at every write, and an object rest costs more than everything else here.

export function storedSecret(secret: Secret): StoredSecret {
  const versions: number[] = []
  const ended: (number | null)[] = []
  for (let number = Math.max(1, secret.oldest); number <= secret.current; number += 1) {
    const version = secret.versions[number]
    if (version === undefined) continue
    versions.push(number, version.createdAt - secret.createdAt)
    const { deletedAt, expiresAt, destroyed } = version
    if (deletedAt === null && expiresAt === null && !destroyed) continue
    const how = (destroyed ? endings.destroyed : 0) | (deletedAt === null ? 0 : endings.deleted)
    ended.push(number, deletedAt ?? expiresAt, how)
  }
  return {
    incarnation: secret.incarnation,
    current: secret.current,
    oldest: secret.oldest,
    createdAt: secret.createdAt,
    updatedAt: secret.updatedAt,
    maxVersions: secret.maxVersions,
    casRequired: secret.casRequired,
    deleteVersionAfterSeconds: secret.deleteVersionAfterSeconds,
    customMetadata: secret.customMetadata,
    versions,
    ended,
    ...metadataCas(secret),
  }
}

export function secretOf(kept: StoredSecret): Secret {
  const versions: Record<string, SecretVersion> = {}
  for (let at = 0; at < kept.versions.length; at += 2)
    versions[kept.versions[at] ?? 0] = {
      createdAt: kept.createdAt + (kept.versions[at + 1] ?? 0),
      deletedAt: null,
      expiresAt: null,
      destroyed: false,
    }
  for (let at = 0; at < kept.ended.length; at += 3) {
    const version = versions[kept.ended[at] ?? 0]
    if (version === undefined) continue
    const how = kept.ended[at + 2] ?? 0
    version[how & endings.deleted ? 'deletedAt' : 'expiresAt'] = kept.ended[at + 1] ?? null
    version.destroyed = (how & endings.destroyed) !== 0
  }
  return {
    incarnation: kept.incarnation,
    current: kept.current,
    oldest: kept.oldest,
    createdAt: kept.createdAt,
    updatedAt: kept.updatedAt,
    maxVersions: kept.maxVersions,
    casRequired: kept.casRequired,
    deleteVersionAfterSeconds: kept.deleteVersionAfterSeconds,
    customMetadata: kept.customMetadata,
    versions,
    ...metadataCas(kept),
  }
}

/** The fields that most secrets do not have, because their settings were never written. */
const metadataCas = ({
  metadataVersion,
  metadataCasRequired,
}: Pick<Secret, 'metadataVersion' | 'metadataCasRequired'>) =>
  metadataVersion === undefined
    ? undefined
    : metadataCasRequired === undefined
      ? { metadataVersion }
      : { metadataVersion, metadataCasRequired }
