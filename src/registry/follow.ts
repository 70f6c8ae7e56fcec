import { inSlices } from '../kernel/in-slices.ts'
import { partsOf, type Replica, type Snapshot, StoreError } from '../store/index.ts'
import { everyEntry } from '../store/replica/every-entry.ts'
import type { ModuleAddress } from './modules/names.ts'
import { addressOf } from './modules/publish.ts'
import { moduleRow } from './modules/view.ts'
import { counters, modules } from './records.ts'
import { directoryInSteps, type ModuleDirectory } from './search/directory.ts'

/** A registry at one revision: its records, and the lists built from them. */
export interface Present {
  readonly now: Snapshot
  readonly directory: ModuleDirectory
  /** The address of a module by its identity; `undefined` once it was removed. */
  readonly whereIs: (moduleId: string) => ModuleAddress | undefined
}

/** Keeps the lists of a registry current. The next read applies changes, never the write. */
export interface Follower {
  /** Resolves once the lists are built: in slices, beside other work. */
  readonly ready: () => Promise<void>
  /** The newest state of the replica. */
  readonly present: () => Present
  readonly close: () => void
}

/** Follows the modules and download counts of a replica. */
export function follow(view: Replica): Follower {
  let lists = emptyLists()
  let dirty = new Set<string>()
  let isBuilt = false
  let building: Promise<void> | undefined
  let isClosed = false
  let off: (() => void) | undefined
  /** Changes during the build are dirty, and applied by the next read. */
  const build = async (now: Snapshot): Promise<void> => {
    // Not before: what was loaded into an empty store would be told key by key, and is read as a whole.
    off ??= view.onChange((_, keys) => {
      for (const key of keys) dirty.add(key)
    })
    dirty = new Set()
    const next = emptyLists()
    if (!(await inSlices(filling(next, now), () => isClosed))) return
    lists = next
    isBuilt = true
  }
  return {
    ready: async () => {
      while (building !== undefined || (!isBuilt && view.stale().rev > 0)) {
        if (isClosed) throw new StoreError('closed', 'the registry was closed')
        building ??= build(view.stale()).finally(() => {
          building = undefined
        })
        await building
      }
    },
    present: () => {
      // The replica's newest snapshot, not an older one a caller may hold: `dirty` speaks of that one.
      const now = view.stale()
      if (isBuilt && dirty.size > 0) {
        const changed = dirty
        dirty = new Set()
        for (const key of changed) lists.takeIn(now, key)
      }
      const { directory, keyOf } = lists
      const whereIs = (moduleId: string): ModuleAddress | undefined => {
        const entry = now.get(keyOf(moduleId) ?? modules.keyOf(''))
        return entry && addressOf(modules.stored(entry).value)
      }
      return { now, directory, whereIs }
    },
    close: () => {
      isClosed = true
      off?.()
    },
  }
}

type Lists = ReturnType<typeof emptyLists>

function emptyLists() {
  const directory = directoryInSteps()
  const keyById = new Map<string, string>()
  const idByKey = new Map<string, string>()

  const show = (now: Snapshot, key: string): void => {
    const entry = now.get(key)
    const module = entry && modules.stored(entry).value
    const before = idByKey.get(key)
    // A renamed module is already in the list under its new key, or will be.
    if (before !== undefined && before !== module?.id && keyById.get(before) === key) keyById.delete(before)
    const row = module && moduleRow(module, counters.get(now, module.id)?.value.total ?? 0)
    if (row) directory.put(row)
    else directory.remove(addressIn(key))
    if (!module) return void idByKey.delete(key)
    idByKey.set(key, module.id)
    keyById.set(module.id, key)
  }
  return {
    directory,
    keyOf: (moduleId: string) => keyById.get(moduleId),
    /** Brings the list up to date with a changed record of any kind. */
    takeIn: (now: Snapshot, key: string): void => {
      const at = key.startsWith(counters.prefix) ? keyById.get(partsOf(key)[1] ?? '') : key
      if (at?.startsWith(modules.prefix)) show(now, at)
    },
  }
}

/** In key order, which is the order of the lists: each row is appended. */
function* filling(lists: Lists, now: Snapshot): Generator<void, void> {
  for (const { key } of everyEntry(now, modules.prefix)) {
    lists.takeIn(now, key)
    yield
  }
  yield* lists.directory.settling()
}

/** The folded address in a key of a module. */
const addressIn = (key: string): ModuleAddress => {
  const [, namespace = '', name = '', provider = ''] = partsOf(key)
  return { namespace, name, provider }
}
