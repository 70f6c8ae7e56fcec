import { collection, type Tx } from '../store/index.ts'
import type { RecordsOf, Runner } from '../store/transactions/runner.ts'
import type { DownloadCounter } from './downloads/model.ts'
import type { RegistryEvent } from './modules/events.ts'
import type { Module, Moved } from './modules/model.ts'
import { foldName, type ModuleAddress } from './modules/names.ts'
import type { Version, VersionContents } from './versions/model.ts'

/** The parts of an address as they appear in keys: addresses are case-insensitive. */
export const addressParts = ({ namespace, name, provider }: ModuleAddress) =>
  [foldName(namespace), foldName(name), foldName(provider)] as const

const noMarks = () => []

/** Modules by address. */
export const modules = collection<Module>({ name: 'module', key: addressParts, scopes: noMarks })

/** Former addresses. */
export const moves = collection<Moved>({ name: 'moved', key: addressParts, scopes: noMarks })

/** Download counts by module, under its identity. */
export const counters = collection<DownloadCounter>({
  name: 'downloads',
  key: ({ moduleId }) => [moduleId],
  scopes: noMarks,
})

/**
 * Versions and their contents lie under their module's identity, not its address: they need no move when it is
 * renamed, and a later module at the address of a removed one does not inherit them. No replica holds them.
 */
export const versions = collection<Version>({
  name: 'version',
  key: ({ moduleId, number }) => [moduleId, number],
  scopes: noMarks,
})

export const contents = collection<VersionContents>({
  name: 'contents',
  key: ({ moduleId, number }) => [moduleId, number],
  scopes: noMarks,
})

/** What a module that was removed has left behind, until that is removed too. */
export interface Remains {
  readonly moduleId: string
  /** The numbers of versions that may still have records. */
  readonly versions: readonly string[]
  /** The archives that may still have bytes. */
  readonly blobs?: readonly string[] | undefined
}

export const remains = collection<Remains>({
  name: 'remains',
  key: ({ moduleId }) => [moduleId],
  scopes: noMarks,
})

/** The bytes of an archive that no version names: on their way, or not used any more. */
export interface LooseArchive {
  readonly blob: string
  /** When they began to come, or were left. */
  readonly since: number
  /** Whether they are being removed: no version may come to name them any more. */
  readonly isDropped?: boolean | undefined
}

export const looseArchives = collection<LooseArchive>({
  name: 'loose',
  key: ({ blob }) => [blob],
  scopes: noMarks,
})

/** A token that may publish. The token itself is with its owner alone. */
export interface TokenRecord {
  /** The SHA-256 of the token, in hex. */
  readonly digest: string
  readonly name: string
  /** Where it may publish; `null` for everywhere. */
  readonly namespaces: readonly string[] | null
  readonly createdAt: number
}

export const tokens = collection<TokenRecord>({
  name: 'token',
  key: ({ digest }) => [digest],
  scopes: noMarks,
})

/** The key that signs the addresses of archives, where the registry is private. */
export interface SigningKey {
  readonly use: 'archives'
  /** In hex. */
  readonly key: string
}

export const signingKeys = collection<SigningKey>({
  name: 'signing',
  key: ({ use }) => [use],
  scopes: noMarks,
})

/** What a registry keeps in this process. */
export const held = [modules, moves, counters, remains, looseArchives, tokens, signingKeys]

/** What a decision of a registry may read: the records that it keeps in this process. */
export type HeldRecord = RecordsOf<typeof held>
export type RegistryTx = Tx<HeldRecord>
export type Commit = Runner<RegistryEvent, HeldRecord>['commit']
