import { statfs } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { restingAfterSlices } from '../../kernel/in-slices.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { systemEnv } from '../../kernel/system-env.ts'
import { checkLeast, sizesOf } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import { utf8Length } from '../port/keys.ts'
import type { Commit, Entry } from '../port/port.ts'
import type { Session } from './session.ts'
import {
  damaged,
  type EntryRow,
  entryOf,
  intactText,
  type Reference,
  referenceIn,
  referenceText,
  type Statements,
  unfinishedMs,
} from './statements.ts'

/** The units of a piece, and of the longest text that stands in its entry. */
export const pieceUnits = 1024 * 1024

/**
 * What pieces leave free on the disk. A checkpoint needs space for what is in the log: without it the log cannot be
 * reused, and pieces that are deleted again would keep other commits from being written.
 */
const reservedMebibytes = 32

/** The number of pieces that are deleted in one transaction. */
const removedAtOnce = 4

/** The texts of the values of commits, or references to them, by their keys. */
export type Texts = ReadonlyMap<Commit, ReadonlyMap<string, string>>

/** Makes the texts of values and stores the long ones, in turns of the event loop of their own, before `work`. */
export async function withTexts<Result>(
  session: Session,
  batch: readonly Commit[],
  sweep: Sweep,
  work: (texts: Texts) => Promise<Result>,
): Promise<Result> {
  const texts = new Map<Commit, ReadonlyMap<string, string>>()
  const begun: number[] = []
  await nextMacrotask()
  try {
    const rest = restingAfterSlices()
    for (const commit of batch) {
      const { put = [] } = commit
      checkLeast(put)
      const add = sizesOf(put)
      const stored = new Map<string, string>()
      for (const { key, value } of put) {
        await rest()
        const text = JSON.stringify(value)
        await rest()
        add(utf8Length(text))
        stored.set(key, await storeText(session, text, (large) => begun.push(large)))
      }
      texts.set(commit, stored)
    }
    return await work(texts)
  } finally {
    if (begun.length > 0) sweep(begun)
  }
}

/**
 * Stores the pieces of a text, if it is long, in a transaction each.
 *
 * @returns the text, or a reference: the transaction that puts it into an entry calls `finish`
 */
export async function storeText(
  session: Session,
  text: string,
  onBegin: (large: number) => void,
): Promise<string> {
  if (text.length <= pieceUnits) return text
  const { now } = systemEnv()
  const write = <T>(run: (sql: ReturnType<Statements['pieces']>) => T) =>
    session.writing({ run: (sql) => run(sql.pieces()), written: (result) => result })
  const large = await write((sql) => sql.begin(now))
  onBegin(large)
  let [pieces, crc] = [0, 0]
  for (let start = 0; start < text.length; pieces += 1) {
    const end = endOfPiece(text, start)
    const piece = text.slice(start, end)
    crc = crc32(piece, crc)
    const place = pieces
    await insistOnSpace(session.path)
    await write((sql) => sql.add(large, place, piece))
    start = end
  }
  return referenceText({ large, pieces, crc })
}

async function insistOnSpace(path: string): Promise<void> {
  // A file that is not there any more fails the next write.
  const disk = await statfs(path).catch(() => undefined)
  if (disk === undefined || disk.bavail * disk.bsize >= reservedMebibytes * 1024 * 1024) return
  throw new StoreError(
    'disk_full',
    `less than ${reservedMebibytes} MiB are free for ${path}, too little for a large value: free some and try again`,
  )
}

/** The end of the piece that starts at a place: never within a surrogate pair. */
function endOfPiece(text: string, start: number): number {
  const end = Math.min(text.length, start + pieceUnits)
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}

/** An entry from its row; a large value is read in turns of the event loop of its own. */
export function readEntry(sql: Statements, row: EntryRow): Entry | Promise<Entry> {
  const text = intactText(row)
  const reference = referenceIn(text)
  return reference ? readLarge(sql, row, reference) : entryOf(row, text)
}

async function readLarge(sql: Statements, row: EntryRow, reference: Reference): Promise<Entry> {
  const rest = restingAfterSlices()
  const texts: string[] = []
  let found = 0
  for (let place = 0; place < reference.pieces; place += 1) {
    await rest()
    const piece = sql.pieces().text(reference.large, place)
    if (piece === undefined) throw damaged(row.key)
    found = crc32(piece, found)
    texts.push(piece)
  }
  if (found !== reference.crc) throw damaged(row.key)
  await rest()
  const text = texts.join('')
  await rest()
  const entry = entryOf(row, text)
  await rest()
  return entry
}

/** Deletes large values that no entry refers to: those given, and others that were replaced or left unfinished. */
export type Sweep = (given: readonly number[]) => void

/** Sweeps in the background, some pieces in a transaction. What fails is left to the next sweep, as of a full disk. */
export function sweeping(session: Session): Sweep {
  let given: readonly number[] = []
  let isSweeping = false
  const sweepSome = () => {
    const taken = given
    return session.writing({
      run: (sql) => {
        const pieces = sql.pieces()
        for (const large of taken) pieces.abandon(large)
        pieces.abandonOld(systemEnv().now - unfinishedMs)
        return pieces.removeSome(removedAtOnce)
      },
      written: (isMore) => {
        given = given.slice(taken.length)
        return isMore
      },
    })
  }
  const sweep = async () => {
    try {
      while ((await sweepSome()) || given.length > 0);
    } catch {
      // Those given are still there.
    } finally {
      isSweeping = false
    }
  }
  return (more) => {
    given = [...given, ...more]
    if (isSweeping) return
    isSweeping = true
    void sweep()
  }
}
