import { inSlices } from '../../kernel/in-slices.ts'
import { windowOf } from '../../search/index.ts'
import { partsOf, type Snapshot, StoreError } from '../../store/index.ts'
import { everyEntry } from '../../store/replica/every-entry.ts'
import type { Caller } from '../accounts/access.ts'
import type { Box } from '../boxes/model.ts'
import { foldName } from '../boxes/names.ts'
import { isUsable } from '../providers/usable.ts'
import { accounts, boxes, downloads, grants, versions } from '../records.ts'
import { boxIndex } from '../search/box-index.ts'
import type { BoxQuery, BoxRow } from '../search/row.ts'
import { currentVersion } from '../versions/current.ts'
import type { Version } from '../versions/model.ts'
import { type Counted, counted } from './counted.ts'
import { type BoxDetail, detailOf, lastChange, storedDownloads } from './details.ts'

/**
 * The query; omitted fields take their defaults.
 */
export type SearchQuery = { readonly [Name in keyof BoxQuery]?: BoxQuery[Name] | undefined }

/** A search index that follows the store: writes record what changed, and the next search applies it. */
export interface Search {
  readonly find: (query: SearchQuery, caller: Caller) => Promise<readonly BoxDetail[]>
  /** The folded names of the accounts that a user is, or has a role on; may be of one that has lost it. */
  readonly accountsOf: (username: string) => Promise<readonly string[]>
  readonly close: () => void
}

/** The collections that rows are built from. */
const indexed = [...boxes.prefixes, versions.prefix, downloads.prefix]

/** With more changes than this since the last search, rebuilding the index costs no more. */
const maxChanged = 50_000

/**
 * Opens the index of a catalog. The first search builds it, in slices: others wait for it, and requests of other kinds do
 * not notice.
 */
export function openSearch(parts: Parameters<typeof counted>[0]): Search {
  let index = boxIndex()
  /** Keys that changed since the index last looked; `undefined` when anything may have. */
  let changed: Set<string> | undefined
  let owners: ReadonlyMap<string, readonly string[]> | undefined
  let following: (() => void) | undefined
  let building: Promise<void> | undefined
  let isClosed = false

  const follow = async (): Promise<void> => {
    const view = await parts.view()
    following ??= view.onChange((rev, keys) => {
      if (rev === 0 || keys.length > maxChanged) {
        changed = undefined
        owners = undefined
        return
      }
      for (const key of keys) {
        if (key.startsWith(accounts.prefix)) owners = undefined
        else if (indexed.some((prefix) => key.startsWith(prefix))) changed?.add(key)
      }
      if (changed !== undefined && changed.size > maxChanged) changed = undefined
    })
  }

  /** Builds an index of the current state; the next search applies later changes. */
  const build = async (now: Snapshot): Promise<void> => {
    changed = new Set()
    const next = boxIndex()
    if (!(await inSlices(filling(next, now), () => isClosed))) return
    index = next
    owners = undefined
  }

  const catchUp = ({ now, waiting }: Counted): void => {
    for (const id of changedBoxes(now, changed ?? new Set())) {
      const box = boxes.find(now, 'id', id)?.value
      const row = box && rowOf(box, versionsOf(now, box), storedDownloads(now, id))
      if (row) index.put(row)
      else index.remove(id)
    }
    changed = new Set()
    for (const [id, count] of waiting) {
      const row = index.get(id)
      const total = storedDownloads(now, id) + count
      if (row && row.downloads !== total) index.put(Object.assign({}, row, { downloads: total }))
    }
  }

  return {
    find: async (asked, caller) => {
      const { sort = 'downloads', order = 'desc' } = asked
      const query: BoxQuery = { ...asked, sort, order, ...windowOf(asked, 10) }
      let present = await counted(parts)
      // There is nothing to follow yet: a load of many boxes would be told key by key, for an index of nothing.
      if (present.now.rev === 0) return []
      if (following === undefined) {
        await follow()
        present = await counted(parts)
      }
      // The index must not forget a change it was told of for a snapshot that does not have it: nothing is awaited
      // between the snapshot that it catches up with and the end.
      while (building !== undefined || changed === undefined) {
        if (isClosed) throw new StoreError('closed', 'the catalog was closed')
        building ??= build(present.now).finally(() => {
          building = undefined
        })
        await building
        present = await counted(parts)
      }
      const { now } = present
      catchUp(present)
      owners ??= ownersByMember(now)
      const found: BoxDetail[] = []
      for (const id of index.search(query, ownersFor(owners, caller), sharedWith(now, caller))) {
        const box = boxes.find(now, 'id', id)?.value
        if (box) found.push(detailOf(present, box, false))
      }
      return found
    },
    accountsOf: async (username) => {
      if (following === undefined) await follow()
      const now = (await parts.view()).stale()
      owners ??= ownersByMember(now)
      const name = foldName(username)
      return [name, ...(owners.get(name) ?? [])]
    },
    close: () => {
      isClosed = true
      following?.()
    },
  }
}

/** Puts a row into an index for every box that has a current version, in steps. */
function* filling(index: ReturnType<typeof boxIndex>, now: Snapshot): Generator<void, void> {
  for (const entry of everyEntry(now, boxes.prefix)) {
    const { value: box } = boxes.stored(entry)
    const row = rowOf(box, versionsOf(now, box), storedDownloads(now, box.id))
    if (row) index.put(row)
    yield
  }
  yield* index.settling()
}

/** The ids of the boxes of changed keys: most keys start with the id, that of the box itself has its name. */
function changedBoxes(now: Snapshot, keys: ReadonlySet<string>): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const key of keys) {
    const [name, first = '', second = ''] = partsOf(key)
    if (name === 'version' || name === 'downloads' || name === 'box!id') ids.add(first)
    const box = name === 'box' ? boxes.get(now, first, second)?.value : undefined
    if (box) ids.add(box.id)
  }
  return ids
}

const versionsOf = (now: Snapshot, box: Box): readonly Version[] =>
  versions.list(now, box.id).map(({ value }) => value)

function rowOf(box: Box, all: readonly Version[], downloaded = 0): BoxRow | undefined {
  const current = currentVersion(all)
  if (!current) return undefined
  return {
    id: box.id,
    username: box.username,
    name: box.name,
    shortDescription: box.shortDescription,
    private: box.private,
    downloads: downloaded,
    createdAt: box.createdAt,
    updatedAt: lastChange(box, all),
    providers: current.providers.filter(isUsable).map(({ name, architecture }) => ({ name, architecture })),
  }
}

/** The organizations of each member. */
function ownersByMember(now: Snapshot): ReadonlyMap<string, readonly string[]> {
  const organizations = new Map<string, string[]>()
  for (const { value } of accounts.list(now))
    for (const member of Object.keys(value.members)) {
      const known = organizations.get(member)
      if (known) known.push(foldName(value.username))
      else organizations.set(member, [foldName(value.username)])
    }
  return organizations
}

/** Whose private boxes a caller finds, by what it may read: those of all, or its own and those of its organizations. */
function ownersFor(
  organizations: ReadonlyMap<string, readonly string[]>,
  caller: Caller,
): readonly string[] | 'all' {
  if (caller.kind !== 'user') return caller.kind === 'host' ? 'all' : []
  const { limits, guest = false, administrator = false } = caller
  if (guest || administrator) return (limits?.elsewhere ? undefined : limits?.owners) ?? 'all'
  const name = foldName(caller.username)
  const own = [name, ...(organizations.get(name) ?? [])]
  return limits?.owners ? own.filter((owner) => limits.owners?.includes(owner)) : own
}

/** The boxes on which a caller has a role of its own. */
function sharedWith(now: Snapshot, caller: Caller): readonly string[] {
  if (caller.kind !== 'user') return []
  const { limits } = caller
  const name = foldName(caller.username)
  return grants.list(now).flatMap(({ value: { boxId, member } }) => {
    if (member !== name) return []
    const owner = limits?.owners && boxes.find(now, 'id', boxId)?.value.username
    return owner === undefined || limits?.owners?.includes(foldName(owner)) ? [boxId] : []
  })
}
