import { answeredSignIns } from '../oidc/answered.ts'
import { quotaCollection } from '../quota/quota.ts'
import { collection, type Tx } from '../store/index.ts'
import type { RecordsOf, Runner } from '../store/transactions/runner.ts'
import { tokenUses } from '../token/last-use.ts'
import { webhookMessages, webhooks } from '../webhooks/model.ts'
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
 * Versions and their contents are keyed by their module's identity, not its address: renaming does not move them, and a
 * later module at the address of a removed one does not inherit them. No replica holds them.
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

/** The leftovers of a removed module, until they are deleted too. */
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

/** The bytes of an archive that no version references: being uploaded, or no longer used. */
export interface LooseArchive {
  readonly blob: string
  /** When the upload began, or when they became unused. */
  readonly since: number
  /** Whether they are being deleted: no version may reference them any more. */
  readonly isDropped?: boolean | undefined
}

export const looseArchives = collection<LooseArchive>({
  name: 'loose',
  key: ({ blob }) => [blob],
  scopes: noMarks,
})

/** A publishing token; its secret is not stored. */
export interface TokenRecord {
  /** The SHA-256 of the token, in hex. */
  readonly digest: string
  readonly name: string
  /** The namespaces it may publish into; `null` for all. */
  readonly namespaces: readonly string[] | null
  readonly createdAt: number
  /** Whether it can create and remove tokens, too. */
  readonly administrator?: boolean
  /** When it expires; never if absent. */
  readonly expiresAt?: number
  /** The namespaces that it may read in a private registry; all if absent. */
  readonly reads?: readonly string[]
  /** Whether a person got it by signing in at the identity provider. */
  readonly signedIn?: boolean
}

export const tokens = collection<TokenRecord>({
  name: 'token',
  key: ({ digest }) => [digest],
  scopes: noMarks,
})

/** A key: of the URLs of archives, if the registry is private, or of logins with a browser. */
export interface SigningKey {
  readonly use: 'archives' | 'sign-ins'
  /** In hex. */
  readonly key: string
}

export const signingKeys = collection<SigningKey>({
  name: 'signing',
  key: ({ use }) => [use],
  scopes: noMarks,
})

/** What namespaces may have. */
export const quotas = quotaCollection<'modules'>()

/** The records that a registry replicates in this process. */
export const held = [
  modules,
  moves,
  counters,
  remains,
  looseArchives,
  tokens,
  quotas,
  webhooks,
  webhookMessages,
  tokenUses,
  signingKeys,
  answeredSignIns,
]

/** The records that a decision of a registry may read: those that it replicates. */
export type HeldRecord = RecordsOf<typeof held>
export type RegistryTx = Tx<HeldRecord>
export type Commit = Runner<RegistryEvent, HeldRecord>['commit']
