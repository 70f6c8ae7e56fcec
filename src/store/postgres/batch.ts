import { checkCommit } from '../port/check.ts'
import type { Commit } from '../port/port.ts'
import { arrayOf, arrayOfJson } from './arrays.ts'

/** The size limit of a statement: each run of `commit_runs` scans the whole of it. */
const batchLimits = { commits: 256, bytes: 32 * 1024 * 1024 }

/** The commits of one statement, and their size. */
export interface Piece {
  readonly commits: readonly Commit[]
  /** Approximately, of its values. */
  readonly bytes: number
}

/**
 * Splits a batch into pieces that fit a statement, of at least one commit each. Refuses commits that cannot be stored.
 */
export function piecesOf(batch: readonly Commit[]): readonly Piece[] {
  const pieces: { commits: Commit[]; bytes: number }[] = []
  for (const commit of batch) {
    const bytes = checkCommit(commit)
    const piece = pieces.at(-1)
    if (
      piece !== undefined &&
      piece.commits.length < batchLimits.commits &&
      piece.bytes + bytes <= batchLimits.bytes
    ) {
      piece.commits.push(commit)
      piece.bytes += bytes
    } else pieces.push({ commits: [commit], bytes })
  }
  return pieces
}

/**
 * The ends, counted from 1, of the runs of a batch that can be checked against one state and written together: no
 * commit of a run expects a write of an earlier one or repeats its id, and none deletes a key that another puts or
 * touches.
 */
export function endsOf(batch: readonly Commit[]): number[] {
  const ends: number[] = []
  const ids = new Set<string>()
  const written = new Set<string>()
  const deleted = new Set<string>()
  for (const [at, { id, expect = [], put = [], del = [], touch = [] }] of batch.entries()) {
    const dependent =
      ids.has(id) ||
      expect.some(({ key }) => written.has(key) || deleted.has(key)) ||
      put.some(({ key }) => deleted.has(key)) ||
      touch.some((key) => deleted.has(key)) ||
      del.some((key) => written.has(key))
    if (dependent) {
      ends.push(at)
      for (const set of [ids, written, deleted]) set.clear()
    }
    ids.add(id)
    for (const { key } of put) written.add(key)
    for (const key of touch) written.add(key)
    for (const key of del) deleted.add(key)
  }
  return [...ends, batch.length]
}

/** A commit as the parameters of `commit_one`, after the realm. */
export function parametersOfOne(commit: Commit, again: boolean): string[] {
  const { id, expect = [], put = [], touch = [], del = [] } = commit
  return [
    id,
    String(again || commit.again === true),
    arrayOf(expect.map(({ key }) => key)),
    arrayOf(expect.map(({ rev }) => rev)),
    arrayOf([...put.map(({ key }) => key), ...touch]),
    arrayOfJson([...put.map(({ value }) => JSON.stringify(value)), ...touch.map(() => 'null')]),
    arrayOf(del),
  ]
}

/** Rows that each belong to a commit of a batch, column by column: the form of array parameters in PostgreSQL. */
interface Placed {
  readonly at: number[]
  readonly key: string[]
}

/** A batch as the parameters of `commit_runs`, after the realm. */
export function parametersOf(batch: readonly Commit[], again: boolean): string[] {
  const expected: Placed & { readonly rev: number[] } = { at: [], key: [], rev: [] }
  const written: Placed & { readonly value: string[] } = { at: [], key: [], value: [] }
  const deleted: Placed = { at: [], key: [] }
  const place = (rows: Placed, at: number, key: string) => {
    rows.at.push(at)
    rows.key.push(key)
  }
  let at = 0
  for (const { expect = [], put = [], touch = [], del = [] } of batch) {
    at += 1
    for (const { key, rev } of expect) {
      place(expected, at, key)
      expected.rev.push(rev)
    }
    for (const { key, value } of put) {
      place(written, at, key)
      written.value.push(JSON.stringify(value))
    }
    for (const key of touch) {
      place(written, at, key)
      written.value.push('null')
    }
    for (const key of del) place(deleted, at, key)
  }
  return [
    arrayOf(endsOf(batch)),
    arrayOf(batch.map(({ id }) => id)),
    arrayOf(batch.map((commit) => again || commit.again === true)),
    arrayOf(expected.at),
    arrayOf(expected.key),
    arrayOf(expected.rev),
    arrayOf(written.at),
    arrayOf(written.key),
    arrayOfJson(written.value),
    arrayOf(deleted.at),
    arrayOf(deleted.key),
  ]
}
