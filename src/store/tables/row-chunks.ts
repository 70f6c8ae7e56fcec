import { compareKeys } from '../port/keys.ts'

/** A run of rows in order; at most {@link chunkSize} of them. Never changed once a table was returned. */
export interface Chunk<Row> {
  readonly keys: readonly string[]
  readonly rows: readonly Row[]
}

/** Rows in order, as chunks that are filtered one by one at the speed of an array. */
export type Chunks<Row> = readonly Chunk<Row>[]

export const chunkSize = 256

/** Chunks of rows that are in order already. */
export function buildChunks<Row>(sorted: readonly (readonly [key: string, row: Row])[]): Chunks<Row> {
  const chunks: Chunk<Row>[] = []
  for (let at = 0; at < sorted.length; at += chunkSize) {
    const run = sorted.slice(at, at + chunkSize)
    chunks.push({ keys: run.map(([key]) => key), rows: run.map(([, row]) => row) })
  }
  return chunks
}

/** UTF-16 order and key order differ only for units from U+D800 up: other keys are compared by the host. */
const below = (key: string): ((other: string, key: string) => boolean) =>
  /[\ud800-\uffff]/.test(key) ? belowByKeys : belowByUnits

const belowByUnits = (other: string, key: string): boolean => other < key
const belowByKeys = (other: string, key: string): boolean => compareKeys(other, key) < 0

/** The first chunk whose last key is not below `key`; past the end if there is none. */
export function chunkAt<Row>(chunks: Chunks<Row>, key: string): number {
  const isBelow = below(key)
  let low = 0
  let high = chunks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const keys = chunks[middle]?.keys
    if (isBelow(keys?.[keys.length - 1] ?? '', key)) low = middle + 1
    else high = middle
  }
  return low
}

/** The first index in a chunk whose key is not below `key`. Often called for chunks entirely on one side of it. */
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

export function rowAt<Row>(chunks: Chunks<Row>, key: string): Row | undefined {
  const chunk = chunks[chunkAt(chunks, key)]
  if (chunk === undefined) return undefined
  const at = placeIn(chunk.keys, key)
  return chunk.keys[at] === key ? chunk.rows[at] : undefined
}

/** Chunks with some rows set (`undefined`: removed). The given chunks stay unchanged; untouched ones are shared. */
export function editChunks<Row>(
  chunks: Chunks<Row>,
  edits: Iterable<readonly [key: string, row: Row | undefined]>,
): Chunks<Row> {
  const edited: Chunk<Row>[] = [...chunks]
  /** Chunks created here, which may be written in place. */
  const own = new Map<Chunk<Row>, { keys: string[]; rows: Row[] }>()
  const writable = (at: number): { keys: string[]; rows: Row[] } => {
    const chunk = edited[at]
    const mine = chunk === undefined ? undefined : own.get(chunk)
    if (mine !== undefined) return mine
    const copy = { keys: [...(chunk?.keys ?? [])], rows: [...(chunk?.rows ?? [])] }
    own.set(copy, copy)
    edited[at] = copy
    return copy
  }
  for (const [key, row] of edits) {
    const found = chunkAt(edited, key)
    const at = found === edited.length && row !== undefined ? Math.max(0, found - 1) : found
    const chunk = edited[at]
    const place = chunk === undefined ? 0 : placeIn(chunk.keys, key)
    const present = chunk?.keys[place] === key
    if (row === undefined) {
      if (!present) continue
      const mine = writable(at)
      mine.keys.splice(place, 1)
      mine.rows.splice(place, 1)
      if (mine.keys.length < chunkSize / 4) mergeAt(edited, at, writable)
    } else {
      const mine = writable(at)
      mine.keys.splice(place, present ? 1 : 0, key)
      mine.rows.splice(place, present ? 1 : 0, row)
      if (mine.keys.length > chunkSize) {
        const half = { keys: mine.keys.splice(chunkSize / 2), rows: mine.rows.splice(chunkSize / 2) }
        own.set(half, half)
        edited.splice(at + 1, 0, half)
      }
    }
  }
  return edited
}

/** Joins a chunk that has become small with a neighbour, where both fit in half a chunk; drops it when empty. */
function mergeAt<Row>(
  edited: Chunk<Row>[],
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
  if (small === undefined || next === undefined || small.keys.length + next.keys.length > chunkSize / 2)
    return
  const joined = writable(left)
  joined.keys.push(...next.keys)
  joined.rows.push(...next.rows)
  edited.splice(left + 1, 1)
}
