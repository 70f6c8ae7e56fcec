import { collection, type Tx } from '../store/index.ts'
import type { RecordsOf, Runner } from '../store/transactions/runner.ts'
import type { DownloadCounter } from './downloads/model.ts'
import type { RegistryEvent } from './modules/events.ts'
import type { Module, Moved } from './modules/model.ts'
import { foldName, type ModuleAddress } from './modules/names.ts'
import type { Version, VersionContents } from './versions/model.ts'

/** The parts of an address as keys have them: whatever the case of its letters, one module. */
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
 * renamed, and nobody who publishes under the address of a removed module inherits them. No replica holds them.
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
}

export const remains = collection<Remains>({
  name: 'remains',
  key: ({ moduleId }) => [moduleId],
  scopes: noMarks,
})

/** What a registry keeps in this process. */
export const held = [modules, moves, counters, remains]

/** What a decision of a registry may read: the records that it keeps in this process. */
export type HeldRecord = RecordsOf<typeof held>
export type RegistryTx = Tx<HeldRecord>
export type Commit = Runner<RegistryEvent, HeldRecord>['commit']
