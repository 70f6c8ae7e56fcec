import { collection, prefixOf } from '../../../store/index.ts'
import type { KvConfig } from '../../kv2/index.ts'
import type { Concept } from '../core/core.ts'
import { type KeptPath, pathParts } from '../core/path-key.ts'
import type { StoredSecret } from './stored-secret.ts'

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
    /** The versions whose data is in several chunks; omitted if there are none. */
    readonly large?: readonly number[]
  }
>({
  name: 'kv2',
  key: (record) => [record.mount, ...pathParts(record)],
  scopes: noScopes,
  values: 'read',
})

/** The data of each version, under the secret's incarnation. Not replicated. */
export const versionData = collection<{
  readonly incarnation: string
  readonly version: number
  /** The data's JSON text, or its first chunk. */
  readonly json: string
  /** The number of further chunks; omitted if there are none. */
  readonly more?: number
}>({
  name: 'kv2data',
  key: ({ incarnation, version }) => [incarnation, version],
  scopes: noScopes,
})

/** The further chunks of data that is too long for one value. Not replicated. */
export const versionPieces = collection<{
  readonly incarnation: string
  readonly version: number
  readonly piece: number
  readonly text: string
}>({
  name: 'kv2piece',
  key: ({ incarnation, version, piece }) => [incarnation, version, piece],
  scopes: noScopes,
})

/** The paths of unversioned secrets, for lists. */
export const entryNames = collection<
  KeptPath & {
    readonly mount: string
    /** The number of further chunks of the secret; omitted if there are none. */
    readonly more?: number
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

/** The further chunks of unversioned secrets that are too long for one value. Not replicated. */
export const entryPieces = collection<
  KeptPath & { readonly mount: string; readonly piece: number; readonly text: string }
>({
  name: 'kv1piece',
  key: (record) => [record.mount, ...pathParts(record), record.piece],
  scopes: noScopes,
})

export const kv: Concept = {
  held: [kvConfigs, secrets, entryNames],
  ofMount: (id) => [
    ...[secrets, entryNames, entries, entryPieces].map(({ name }) => prefixOf(name, id)),
    kvConfigs.keyOf(id),
  ],
  // The data of a secret is stored separately, under its incarnation.
  ofRecord: (entry) =>
    entry.key.startsWith(secrets.prefix)
      ? [versionData, versionPieces].map(({ name }) =>
          prefixOf(name, secrets.stored(entry).value.secret.incarnation),
        )
      : [],
}
