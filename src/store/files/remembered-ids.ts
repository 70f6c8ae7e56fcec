import { crc32 } from 'node:zlib'
import type { Rev } from '../port/port.ts'

/**
 * The ids of the log's commits, in memory: an index on disk would double the size of each commit. A hash stands for an
 * id, so that 100,000 of them take a few megabytes; the log itself confirms a match.
 */
export interface RememberedIds {
  /** The newest known commit: all earlier ones are known, too. */
  readonly newest: { readonly rev: Rev; readonly id: string }
  /** Adds the next commit of the log. */
  add(id: string, rev: Rev): void
  /** Drops commits up to `floor`. */
  forget(floor: Rev): void
  /** Drops everything: the log is not the one that was read. */
  reset(): void
  /** The commits that may have this id. */
  find(id: string): readonly Rev[]
}

/** The number of ids read in one slice: the event loop continues between slices. */
export const learnedAtOnce = 4_096

const none: readonly Rev[] = []

export function rememberedIds(): RememberedIds {
  let known = new Map<number, Rev | readonly Rev[]>()
  let newest = { rev: 0, id: '' }
  let forgotten = 0
  const listOf = (found: Rev | readonly Rev[] | undefined): readonly Rev[] =>
    found === undefined ? none : typeof found === 'number' ? [found] : found
  const drop = (floor: Rev) => {
    const kept: typeof known = new Map()
    for (const [hash, found] of known) {
      const left = listOf(found).filter((rev) => rev > floor)
      const [only] = left
      if (only !== undefined) kept.set(hash, left.length === 1 ? only : left)
    }
    known = kept
    forgotten = floor
  }
  return {
    get newest() {
      return newest
    },
    add: (id, rev) => {
      const hash = hashOf(id)
      const before = known.get(hash)
      known.set(hash, before === undefined ? rev : [...listOf(before), rev])
      newest = { rev, id }
    },
    forget: (floor) => {
      // Not each time: it scans all of them.
      if (floor - forgotten > Math.max(1_000, newest.rev - floor)) drop(floor)
    },
    reset: () => {
      known.clear()
      newest = { rev: 0, id: '' }
      forgotten = 0
    },
    find: (id) => (known.size === 0 ? none : listOf(known.get(hashOf(id)))),
  }
}

/** Thirty bits, which the host stores without an object. */
const hashOf = (id: string): number => crc32(id) >>> 2
