import { collection } from '../../../store/index.ts'
import type { KvConfig } from '../../kv2/index.ts'
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
