import type { Snapshot } from '../../store/index.ts'
import type { AccountView } from '../accounts/view.ts'
import type { Box } from '../boxes/model.ts'
import type { Provider } from '../providers/model.ts'
import { downloads, versions } from '../records.ts'
import { currentVersion, newestFirst } from '../versions/current.ts'
import type { Version } from '../versions/model.ts'
import type { Counted } from './counted.ts'

/**
 * A box with what hangs on it.
 *
 * @public
 */
export interface BoxDetail {
  readonly box: Box
  /** Newest number first. Whoever does not own the box sees the active ones only. */
  readonly versions: readonly Version[]
  /** The highest active version. */
  readonly current: Version | undefined
  /** How often images of it were fetched. */
  readonly downloads: number
  /** When the box or anything in it last changed; milliseconds since the Unix epoch. */
  readonly updatedAt: number
}

/**
 * A version with its box.
 *
 * @public
 */
export interface VersionDetail {
  readonly box: Box
  readonly version: Version
}

/**
 * A provider with its version and box.
 *
 * @public
 */
export interface ProviderDetail extends VersionDetail {
  readonly provider: Provider
}

/**
 * A user or an organization with the boxes that the caller may see.
 *
 * @public
 */
export interface AccountDetail {
  /** Its e-mail address is null to whoever does not own it. */
  readonly account: AccountView
  readonly boxes: readonly BoxDetail[]
}

/** A box as of one moment. */
export function detailOf({ now, waiting }: Counted, box: Box, owned: boolean): BoxDetail {
  const all = versions.list(now, box.id).map(({ value }) => value)
  return {
    box,
    versions: newestFirst(owned ? all : all.filter(({ status }) => status === 'active')),
    current: currentVersion(all),
    downloads: storedDownloads(now, box.id) + (waiting.get(box.id) ?? 0),
    updatedAt: lastChange(box, all),
  }
}

/** How many downloads of a box are stored. */
export const storedDownloads = (now: Snapshot, boxId: string): number =>
  downloads.get(now, boxId)?.value.count ?? 0

/** When a box or one of its versions last changed. */
export const lastChange = (box: Box, all: readonly Version[]): number =>
  all.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), box.updatedAt)
