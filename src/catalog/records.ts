import type { Instant } from '../kernel/index.ts'
import { quotaCollection } from '../quota/quota.ts'
import { collection } from '../store/index.ts'
import { tokenUses } from '../token/last-use.ts'
import { webhookMessages, webhooks } from '../webhooks/model.ts'
import type { Account, Token } from './accounts/model.ts'
import type { Role } from './accounts/role.ts'
import type { Box } from './boxes/model.ts'
import { foldName } from './boxes/names.ts'
import type { Upload } from './uploads/model.ts'
import type { Version } from './versions/model.ts'

/** No client waits for a list of this service, and few decisions depend on one: most of its records raise no marks. */
const unmarked = () => []

export const accounts = collection<Account>({
  name: 'account',
  key: ({ username }) => [foldName(username)],
  scopes: unmarked,
  unique: { email: ({ email }) => (email === null ? undefined : [email]) },
  // Members had no roles once, and could do everything.
  upgrade: (account) =>
    Array.isArray(account.members)
      ? { ...account, members: Object.fromEntries(account.members.map((name) => [foldName(name), 'admin'])) }
      : account,
})

/** Their marks guard the deletion of a user, which leaves none of its tokens behind. */
export const tokens = collection<Token>({
  name: 'token',
  key: ({ hash }) => [hash],
  scopes: ({ username }) => [[foldName(username)]],
})

/**
 * Versions are keyed by the box's id, so that renaming does not move them. Their mark guards loads, which require that
 * there are no boxes.
 */
export const boxes = collection<Box>({
  name: 'box',
  key: ({ username, name }) => [foldName(username), foldName(name)],
  unique: { id: ({ id }) => [id] },
})

export const versions = collection<Version>({
  name: 'version',
  key: ({ boxId, canonical }) => [boxId, canonical],
  scopes: unmarked,
})

/** The role of a user on one box. */
export interface Grant {
  readonly boxId: string
  /** The folded name of the user. */
  readonly member: string
  readonly role: Role
}

/** Apart from the boxes: a search looks up the grants of its caller. */
export const grants = collection<Grant>({
  name: 'grant',
  key: ({ boxId, member }) => [boxId, member],
  scopes: unmarked,
})

/** The number of downloads of a box, stored apart from the box, which a download does not change. */
export interface Downloads {
  readonly boxId: string
  readonly count: number
}

export const downloads = collection<Downloads>({
  name: 'downloads',
  key: ({ boxId }) => [boxId],
  scopes: unmarked,
})

/** What owners may have. */
export const quotas = quotaCollection<'boxes'>()

export const uploads = collection<Upload>({ name: 'upload', key: ({ id }) => [id], scopes: unmarked })

/**
 * Blobs that belong to no image: uploads in progress, or blobs waiting for deletion. Every blob in the store is always
 * referenced here, by an upload or by a provider, so a crash at any point leaves no unreachable bytes.
 */
export interface LooseBlobs {
  readonly id: string
  readonly blobs: readonly string[]
  readonly since: Instant
}

export const looseBlobs = collection<LooseBlobs>({
  name: 'loose',
  key: ({ id }) => [id],
  scopes: unmarked,
})

/** One record of a load. */
export type LoadedRecord =
  | { readonly account: Account }
  | { readonly box: Box }
  | { readonly downloads: Downloads }
  | { readonly version: Version }

/**
 * A part of a pending load. When the store already holds data, all parts are written in one commit; from then on the
 * load takes effect, and any process may store its records. Their mark guards calls that create records which a load
 * may still store.
 */
export interface LoadPart {
  readonly part: string
  readonly records: readonly LoadedRecord[]
}

export const loadParts = collection<LoadPart>({
  name: 'load-part',
  key: ({ part }) => [part],
})

/** How many records of a part are stored, in a separate record because the part is large. */
export interface LoadProgress {
  readonly part: string
  readonly stored: number
}

export const loadProgress = collection<LoadProgress>({
  name: 'load-progress',
  key: ({ part }) => [part],
  scopes: unmarked,
})

/** Everything: a catalog without its blobs fits into memory. */
export const allRecords = [
  accounts,
  tokens,
  boxes,
  versions,
  grants,
  quotas,
  webhooks,
  webhookMessages,
  tokenUses,
  downloads,
  uploads,
  looseBlobs,
  loadParts,
  loadProgress,
] as const
