import { compareKeys } from '../port/keys.ts'

/** A run of rows in order; at most {@link leafSize} of them. Never changed once a table was handed out. */
export interface Leaf<Row> {
  readonly keys: readonly string[]
  readonly rows: readonly Row[]
}

/** Rows in order, as leaves that are filtered one by one at the speed of an array. */
export type Leaves<Row> = readonly Leaf<Row>[]

export const leafSize = 256

/** Leaves of rows that are in order already. */
export function buildLeaves<Row>(sorted: readonly (readonly [key: string, row: Row])[]): Leaves<Row> {
  const leaves: Leaf<Row>[] = []
  for (let at = 0; at < sorted.length; at += leafSize) {
    const run = sorted.slice(at, at + leafSize)
    leaves.push({ keys: run.map(([key]) => key), rows: run.map(([, row]) => row) })
  }
  return leaves
}

/** Unit order and key order differ only where two units from U+D800 up meet: a key without any is compared by the host. */
const below = (key: string): ((other: string, key: string) => boolean) =>
  /[\ud800-\uffff]/.test(key) ? belowByKeys : belowByUnits

const belowByUnits = (other: string, key: string): boolean => other < key
const belowByKeys = (other: string, key: string): boolean => compareKeys(other, key) < 0

/** The first leaf whose last key is not below `key`; past the end when there is none. */
export function leafAt<Row>(leaves: Leaves<Row>, key: string): number {
  const isBelow = below(key)
  let low = 0
  let high = leaves.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const keys = leaves[middle]?.keys
    if (isBelow(keys?.[keys.length - 1] ?? '', key)) low = middle + 1
    else high = middle
  }
  return low
}

/** The first place in a leaf whose key is not below `key`. Asked all the time of leaves that lie on one side of it. */
export function placeIn(keys: readonly string[], key: string): number {
  const isBelow = below(key)
  const { length } = keys
  if (length === 0 || isBelow(keys[length - 1] ?? '', key)) return length
  if (!isBelow(keys[0] ?? '', key)) return 0
  let low = 1
  let high = length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBelow(keys[middle] ?? '', key)) low = middle + 1
    else high = middle
  }
  return low
}

export function rowAt<Row>(leaves: Leaves<Row>, key: string): Row | undefined {
  const leaf = leaves[leafAt(leaves, key)]
  if (leaf === undefined) return undefined
  const at = placeIn(leaf.keys, key)
  return leaf.keys[at] === key ? leaf.rows[at] : undefined
}

/** Leaves with some rows set (`undefined`: taken out). The given leaves stay as they are; untouched ones are shared. */
export function editLeaves<Row>(
  leaves: Leaves<Row>,
  edits: Iterable<readonly [key: string, row: Row | undefined]>,
): Leaves<Row> {
  const edited: Leaf<Row>[] = [...leaves]
  /** Leaves made here, which may be written in place. */
  const own = new Map<Leaf<Row>, { keys: string[]; rows: Row[] }>()
  const writable = (at: number): { keys: string[]; rows: Row[] } => {
    const leaf = edited[at]
    const mine = leaf === undefined ? undefined : own.get(leaf)
    if (mine !== undefined) return mine
    const copy = { keys: [...(leaf?.keys ?? [])], rows: [...(leaf?.rows ?? [])] }
    own.set(copy, copy)
    edited[at] = copy
    return copy
  }
  for (const [key, row] of edits) {
    const found = leafAt(edited, key)
    const at = found === edited.length && row !== undefined ? Math.max(0, found - 1) : found
    const leaf = edited[at]
    const place = leaf === undefined ? 0 : placeIn(leaf.keys, key)
    const present = leaf?.keys[place] === key
    if (row === undefined) {
      if (!present) continue
      const mine = writable(at)
      mine.keys.splice(place, 1)
      mine.rows.splice(place, 1)
      if (mine.keys.length < leafSize / 4) mergeAt(edited, at, writable)
    } else {
      const mine = writable(at)
      mine.keys.splice(place, present ? 1 : 0, key)
      mine.rows.splice(place, present ? 1 : 0, row)
      if (mine.keys.length > leafSize) {
        const half = { keys: mine.keys.splice(leafSize / 2), rows: mine.rows.splice(leafSize / 2) }
        own.set(half, half)
        edited.splice(at + 1, 0, half)
      }
    }
  }
  return edited
}

/** Joins a leaf that has become small with a neighbour, where both fit in half a leaf; drops it when empty. */
function mergeAt<Row>(
  edited: Leaf<Row>[],
  at: number,
  writable: (at: number) => { keys: string[]; rows: Row[] },
): void {
  if (edited[at]?.keys.length === 0) {
    edited.splice(at, 1)
    return
  }
  const left = at > 0 ? at - 1 : at
  const small = edited[left]
  const next = edited[left + 1]
  if (small === undefined || next === undefined || small.keys.length + next.keys.length > leafSize / 2) return
  const joined = writable(left)
  joined.keys.push(...next.keys)
  joined.rows.push(...next.rows)
  edited.splice(left + 1, 1)
}
