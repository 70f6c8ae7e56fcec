import type { Snapshot } from '../../store/index.ts'
import type { AccountView } from '../accounts/view.ts'
import type { Box } from '../boxes/model.ts'
import type { Provider } from '../providers/model.ts'
import { downloads, versions } from '../records.ts'
import { currentVersion, newestFirst } from '../versions/current.ts'
import type { Version } from '../versions/model.ts'
import type { Counted } from './counted.ts'

/**
 * A box with its versions and providers.
 */
export interface BoxDetail {
  readonly box: Box
  /** Newest number first. Callers that do not own the box see the active ones only. */
  readonly versions: readonly Version[]
  /** The highest active version. */
  readonly current: Version | undefined
  /** The number of downloads of its images. */
  readonly downloads: number
  /** When the box or anything in it last changed; milliseconds since the Unix epoch. */
  readonly updatedAt: number
}

/**
 * A version with its box.
 */
export interface VersionDetail {
  readonly box: Box
  readonly version: Version
}

/**
 * A provider with its version and box.
 */
export interface ProviderDetail extends VersionDetail {
  readonly provider: Provider
}

/**
 * A user or an organization with the boxes that the caller may see.
 */
export interface AccountDetail {
  /** Its e-mail address is null for other callers. */
  readonly account: AccountView
  readonly boxes: readonly BoxDetail[]
}

/** The versions and providers of a box, for answers. */
interface Contents {
  /** In the order of the store. */
  readonly all: readonly Version[]
  readonly newestFirst: readonly Version[]
  readonly active: readonly Version[]
  readonly current: Version | undefined
  readonly updatedAt: number
}

/** Sorting versions takes longer than the rest of a read; records are immutable, so the result is cached. */
const lastContents = new WeakMap<Box, Contents>()

function contentsOf(now: Snapshot, box: Box): Contents {
  const stored = versions.list(now, box.id)
  const known = lastContents.get(box)
  if (
    known?.all.length === stored.length &&
    known.all.every((version, index) => version === stored[index]?.value)
  )
    return known
  const all = stored.map(({ value }) => value)
  const sorted = newestFirst(all)
  const contents: Contents = {
    all,
    newestFirst: Object.freeze(sorted),
    active: Object.freeze(sorted.filter(({ status }) => status === 'active')),
    current: currentVersion(all),
    updatedAt: lastChange(box, all),
  }
  lastContents.set(box, contents)
  return contents
}

/** A box at one revision. */
export function detailOf({ now, waiting }: Counted, box: Box, owned: boolean): BoxDetail {
  const { newestFirst, active, current, updatedAt } = contentsOf(now, box)
  return {
    box,
    versions: owned ? newestFirst : active,
    current,
    downloads: storedDownloads(now, box.id) + (waiting.get(box.id) ?? 0),
    updatedAt,
  }
}

/** The stored number of downloads of a box. */
export const storedDownloads = (now: Snapshot, boxId: string): number =>
  downloads.get(now, boxId)?.value.count ?? 0

/** When a box or one of its versions last changed. */
export const lastChange = (box: Box, all: readonly Version[]): number =>
  all.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), box.updatedAt)
