import type { Json, Replica, Rev, Entry as StoredEntry } from '../../../store/index.ts'
import type { Records } from '../../records/tables.ts'
import { eventsOf, hasEvent, keysOfEvents, type RoutedEvent } from './change-events.ts'

/** How much is kept for late or slow subscribers: changes, and characters of the records that they replaced, roughly. */
const most = { changes: 4096, weight: 16 * 1024 * 1024 }

/** The changes of one or more consecutive commits, and the revision of the last. */
export interface Logged {
  readonly rev: Rev
  readonly events: readonly RoutedEvent[]
}

interface Entry {
  readonly rev: Rev
  readonly keys: readonly string[]
  readonly before: Records
  readonly after: Records
  readonly weight: number
  events: readonly RoutedEvent[] | undefined
}

/** The newest changes of a cluster, in order. */
export interface EventLog {
  /** The first position that can have events of this index or a later one. */
  readonly placeOf: (index: Rev) => number
  /** Entries up to this revision, inclusive, are no longer kept. */
  readonly floor: () => Rev
  /** The entry at a position: `lost` if it is no longer kept, `undefined` if there is none yet. */
  readonly at: (place: number) => Logged | 'lost' | undefined
  /** Resolves when there are new entries, when the log is closed, and when the signal aborts. */
  readonly more: (signal: AbortSignal) => Promise<void>
  readonly isClosed: () => boolean
  /** The stream has ended: all waits end. */
  readonly close: () => void
}

/**
 * Records the changes of a replica. Events are built when they are first read: until then an entry holds the records
 * before and after. Snapshots instead would retain every tree node that was copied since.
 */
export function eventLog(view: Replica): EventLog {
  let last = view.stale()
  let hasGap = false
  const entries = newestEntries(last.rev)
  let isClosed = false
  const { wait, wakeAll } = waits()
  const stopFollowing = view.onChange((rev, keys) => {
    // Dropped: the next change covers the current state.
    if (rev === 0) {
      hasGap = true
      return
    }
    const now = view.stale()
    const before = last
    last = now
    // The realm was rolled back or read again: the events in between are unknown.
    if (hasGap || rev < before.rev) {
      hasGap = false
      entries.startAnew(now.rev)
      return wakeAll()
    }
    const mine = keys.filter(hasEvent)
    if (mine.length === 0) return
    const read = keysOfEvents(mine)
    const was = recordsAt(before, read)
    // The replica has what stands now in any case: the log alone keeps what was replaced.
    let weight = 0
    for (const key of mine) weight += weightOf(was.get(key)?.value ?? null)
    const after = recordsAt(now, read)
    entries.add({ rev, keys: mine, before: was, after, weight, events: undefined })
    wakeAll()
  })

  return {
    placeOf: entries.placeOf,
    floor: entries.floor,
    at: (place) => {
      const entry = entries.at(place)
      if (entry === 'lost' || entry === undefined) return entry
      entry.events ??= eventsOf(entry.keys, entry.before, entry.after, entry.rev)
      return { rev: entry.rev, events: entry.events }
    },
    more: (signal) => (isClosed || signal.aborted ? Promise.resolve() : wait(signal)),
    isClosed: () => isClosed,
    close: () => {
      isClosed = true
      stopFollowing()
      wakeAll()
    },
  }
}

/** The waits of subscribers for new entries. */
function waits() {
  let waiting = new Set<() => void>()
  return {
    wait: (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const done = () => {
          waiting.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        waiting.add(done)
        signal.addEventListener('abort', done)
      }),
    wakeAll: (): void => {
      const woken = waiting
      waiting = new Set()
      for (const resolve of woken) resolve()
    },
  }
}

/** The newest entries within limits, by position. */
function newestEntries(rev: Rev) {
  const entries = new Map<number, Entry>()
  /** The position of the first entry. */
  let start = 0
  let floor = rev
  let kept = { changes: 0, weight: 0 }
  return {
    placeOf: (index: Rev): number => {
      for (const [place, entry] of entries) if (entry.rev >= index) return place
      return start + entries.size
    },
    floor: (): Rev => floor,
    at: (place: number): Entry | 'lost' | undefined => (place < start ? 'lost' : entries.get(place)),
    startAnew: (since: Rev): void => {
      // Subscribers have lost the events in between.
      start += entries.size + 1
      entries.clear()
      kept = { changes: 0, weight: 0 }
      floor = since
    },
    add: (entry: Entry): void => {
      entries.set(start + entries.size, entry)
      kept.changes += entry.keys.length
      kept.weight += entry.weight
      while (kept.changes > most.changes || kept.weight > most.weight) {
        const oldest = entries.get(start)
        if (oldest === undefined) break
        kept.changes -= oldest.keys.length
        kept.weight -= oldest.weight
        floor = oldest.rev
        entries.delete(start)
        start += 1
      }
    },
  }
}

/** Copies the records at some keys of a snapshot, so that the snapshot itself is not retained. */
function recordsAt(now: Records, keys: Iterable<string>): Records {
  const records = new Map<string, StoredEntry | undefined>()
  for (const key of keys) records.set(key, now.get(key))
  return records
}

/** Estimates the number of characters of a value as JSON. */
function weightOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  let weight = 2
  for (const key in value) weight += key.length + 4 + weightOf(Reflect.get(value, key))
  return weight
}
