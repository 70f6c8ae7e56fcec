import type { Secret, SecretVersion } from '../../kv2/index.ts'

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
