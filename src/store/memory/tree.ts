import sortedBTree from 'sorted-btree'
import { anyKey, checkRange } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import { compareKeys, shown } from '../port/keys.ts'
import type { Entry, Json, Range, Rev, Snapshot } from '../port/port.ts'
import { boundsOf } from '../port/range-bounds.ts'

/** Entries ordered by key, with copies in constant time: a copy and its original share nodes until written. */
export type Tree = sortedBTree.default<string, Entry>

// The library is CommonJS: some loaders return its exports, some its default export.
const BTree = (sortedBTree.default ?? sortedBTree) as typeof sortedBTree.default

/** The longest run of values returned together. */
const chunk = 256

/** Most keys differ in length or early on: testing them for equality is faster than comparing their order. */
const byUnits = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1)

/** The maximum number of entries, or of nodes, in a node. */
export const nodeSize = 64

export const emptyTree = (): Tree => new BTree<string, Entry>(undefined, byUnits, nodeSize)

/**
 * Prepares a tree for a key. UTF-16 order and byte order agree until a key contains a unit from U+D800 up: from then on
 * the tree compares bytes.
 */
export function orderWith(tree: Tree, key: string): void {
  if (tree._compare === byUnits && /[\ud800-\uffff]/.test(key)) tree._compare = compareKeys
}

/** Sets an entry; returns whether its key is new. */
export function setEntry(tree: Tree, entry: Entry): boolean {
  orderWith(tree, entry.key)
  return tree.set(entry.key, entry)
}

/** The entries of a range of a tree, in the direction of travel. */
export function scanTree(tree: Tree, range: Range): Entry[] {
  checkRange(range)
  const limit = range.limit ?? Number.POSITIVE_INFINITY
  if (limit === 0 || tree.size === 0) return []
  return range.reverse === true ? scanDown(tree, range, limit) : scanUp(tree, range, limit)
}

function scanUp(tree: Tree, range: Range, limit: number): Entry[] {
  const { low, high } = boundsOf(range)
  const found: Entry[] = []
  tree.forRange(low, high ?? tree.maxKey() ?? '', high === undefined, (_, entry) => {
    found.push(entry)
    return found.length >= limit ? stop : undefined
  })
  return found
}

/** Ends a walk of the tree early. */
const stop = { break: true }

function scanDown(tree: Tree, range: Range, limit: number): Entry[] {
  const { high } = boundsOf(range)
  const found: Entry[] = []
  for (const [key, entry] of tree.entriesReversed(high, [], high !== undefined)) {
    if (!key.startsWith(range.prefix)) break
    found.push(entry)
    if (found.length >= limit) break
  }
  return found
}

/** A snapshot of a tree that is no longer written. */
export const snapshotOf = (tree: Tree, rev: Rev): Snapshot => ({
  rev,
  get: (key) => tree.get(key),
  scan: (range) => scanTree(tree, range),
  chunks: (prefix, from) => chunksOf(tree, prefix, from),
})

function* chunksOf(tree: Tree, prefix: string, from: string | undefined): Iterable<readonly Json[]> {
  let range: Range = { prefix, from, limit: chunk }
  for (;;) {
    const run = scanTree(tree, range)
    const last = run.at(-1)
    if (last === undefined) return
    yield run.map(toValue)
    if (run.length < chunk) return
    range = { prefix, after: last.key, limit: chunk }
  }
}

const toValue = (entry: Entry): Json => entry.value

/** A snapshot that throws for keys that its replica does not hold, instead of returning them as absent. */
export function guarded(now: Snapshot, holds: (key: string) => boolean): Snapshot {
  if (holds === anyKey) return now
  return {
    rev: now.rev,
    get: (key) => {
      if (!holds(key)) throw notHeld(key)
      return now.get(key)
    },
    scan: (range) => {
      if (!holds(range.prefix)) throw notHeld(range.prefix)
      return now.scan(range)
    },
    chunks: (prefix, from) => {
      if (!holds(prefix)) throw notHeld(prefix)
      return now.chunks(prefix, from)
    },
  }
}

/** The error for a key that a replica does not hold. */
export const notHeld = (key: string): StoreError =>
  new StoreError(
    'not_held',
    `add its prefix to the replica, or read it from the store: the replica does not hold ${shown(key)}`,
  )
