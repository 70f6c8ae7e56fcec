import { brand, brandOf } from '../../kernel/brand.ts'
import { lru } from '../../kernel/lru.ts'
import { StoreError } from '../port/errors.ts'
import { shown } from '../port/keys.ts'
import type { Entry, Json, Rev, Snapshot } from '../port/port.ts'

/** Known to every copy of the package in this process, which may share a replica. */
const mark = /* @__PURE__ */ brandOf('KeyEntry')

/** An entry of which a replica holds the key and the revisions, but not the value. */
class KeyEntry implements Entry {
  readonly key: string
  readonly created: Rev
  readonly modified: Rev
  constructor({ key, created, modified }: Entry) {
    brand(KeyEntry.prototype, mark)
    this.key = key
    this.created = created
    this.modified = modified
  }
  get value(): Json {
    throw new StoreError(
      'not_held',
      `the replica holds no values of this collection: read ${shown(this.key)} with load, or in a transaction`,
    )
  }
}

/** Whether an entry has its value: others come from replicas that hold only keys. */
export const hasValue = (entry: Entry): boolean => !(mark in entry)

/** The size of the cache of recently read values, in characters of JSON. */
const keptCharacters = 8 * 1024 * 1024

/**
 * Values that a replica does not hold, of which it caches those that were read or written lately. Each is cached for
 * exactly the entry it belongs to: the value at a key is that of the snapshot's revision, or none.
 */
export interface ReadValues {
  /** Whether the replica holds only the keys below a prefix. */
  readsBelow(prefix: string): boolean
  /** What the replica holds of an entry. */
  heldOf(entry: Entry): Entry
  /** Caches a value. */
  keep(held: Entry | undefined, read: Entry): void
  /** A snapshot of held entries that sees the values cached now and later. */
  shownIn(now: Snapshot): Snapshot
  forget(): void
}

interface Lately {
  /** The entry of the replica, without its value. */
  readonly held: Entry
  readonly entry: Entry
  readonly size: number
}

/** @param reads - whether the value at a key is read, and not held */
export function readValues(reads: ((key: string) => boolean) | undefined): ReadValues {
  if (reads === undefined)
    return {
      readsBelow: () => false,
      heldOf: (entry) => entry,
      keep: () => {},
      shownIn: (now) => now,
      forget: () => {},
    }
  const empty = () => lru<Lately>(keptCharacters, ({ size }) => size)
  let lately = empty()
  return {
    readsBelow: reads,
    heldOf: (entry) => (reads(entry.key) ? new KeyEntry(entry) : entry),
    keep: (held, entry) => {
      if (held === undefined || hasValue(held) || held.modified !== entry.modified) return
      lately.set(entry.key, { held, entry, size: JSON.stringify(entry.value).length })
    },
    shownIn: (now) => ({
      rev: now.rev,
      scan: now.scan,
      chunks: now.chunks,
      get: (key) => {
        const held = now.get(key)
        if (held === undefined || hasValue(held)) return held
        const found = lately.get(key)
        return found?.held === held ? found.entry : held
      },
    }),
    forget: () => {
      lately = empty()
    },
  }
}
