import type { Database, RangeOptions, Transaction } from 'lmdb'
import { checkRange } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import { compareKeys } from '../port/keys.ts'
import { type Entry, limits, type Range, type Rev, type Verdict } from '../port/port.ts'
import { boundsOf } from '../port/range-bounds.ts'
import { parseStored } from '../port/stored-value.ts'

/** The format of the file; a file of another one is refused. */
export const format = 1

/** A table of bytes by bytes: LMDB then orders keys as their bytes. */
export type Table = Database<Buffer, Buffer>

/** What is read inside one of LMDB's read transactions; nothing inside a write transaction. */
export type Within = { readonly transaction: Transaction } | undefined

/** The bytes of a key. */
export const keyBytes = (key: string): Buffer => Buffer.from(key, 'utf8')

/** Whether a key can stand in a table at all: the engine has no answer for the others, or that of another key. */
export const canStand = (key: string): boolean =>
  key !== '' && key.length <= limits.keyBytes && !/\p{Cs}/u.test(key)

/** A revision as a key, so that revisions are in order. */
export function revKey(rev: Rev): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigUInt64BE(BigInt(rev))
  return bytes
}

export const revOf = (bytes: Buffer): Rev => Number(bytes.readBigUInt64BE())

// An entry: created and modified as 8 bytes each, then the value's JSON text.
const header = 16

export function entryBytes(value: Entry['value'], created: Rev, modified: Rev): Buffer {
  const text = JSON.stringify(value)
  const bytes = Buffer.allocUnsafe(header + Buffer.byteLength(text))
  bytes.writeDoubleBE(created, 0)
  bytes.writeDoubleBE(modified, 8)
  bytes.write(text, header)
  return bytes
}

export const createdOf = (bytes: Buffer): Rev => bytes.readDoubleBE(0)
export const modifiedOf = (bytes: Buffer): Rev => bytes.readDoubleBE(8)

export const entryOf = (key: string, bytes: Buffer): Entry => ({
  key,
  value: parseStored(key, bytes.toString('utf8', header)),
  created: createdOf(bytes),
  modified: modifiedOf(bytes),
})

/** A commit in the log: its id, then the keys it wrote. */
export const logBytes = (id: string, keys: readonly string[]): Buffer =>
  Buffer.from(JSON.stringify([id, ...keys]))

export const logOf = (bytes: Buffer): { readonly id: string; readonly keys: readonly string[] } => {
  // Written by logBytes.
  const [id = '', ...keys] = ownText(bytes) as string[]
  return { id, keys }
}

export const verdictBytes = (verdict: Verdict): Buffer => Buffer.from(JSON.stringify(verdict))
// Written by verdictBytes.
export const verdictOf = (bytes: Buffer): Verdict => ownText(bytes) as Verdict

function ownText(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new StoreError('corrupt', 'the memory of past commits is damaged: restore a backup')
  }
}

/** The entries of a range, in the direction of travel. */
export function scanTable(table: Table, range: Range, within: Within): Entry[] {
  checkRange(range)
  const { prefix, from, after, limit = Number.POSITIVE_INFINITY, reverse = false } = range
  // Backwards from '' there is nothing, and to the engine no bound at all.
  if (limit === 0 || (reverse && (from === '' || after === ''))) return []
  const found: Entry[] = []
  const first = startOf(range)
  let reached = first.start
  for (const { key: bytes, value } of table.getRange({ ...first, ...within })) {
    const key = bytes.toString('utf8')
    const beyond = reverse ? compareKeys(key, prefix) < 0 : !key.startsWith(prefix)
    if (beyond) return found
    // The engine's bounds are inclusive; what they let in at the beginning is left out here.
    const skipped = !key.startsWith(prefix) || key === after || isBefore(key, from, reverse)
    if (!skipped) found.push(entryOf(key, value))
    if (found.length >= limit) return found
    reached = bytes
  }
  // The engine ends at some damaged pages as it does at the end of the table.
  for (const end of table.getKeys({ reverse: !reverse, limit: 1, ...within }))
    if (reached === undefined || Buffer.compare(end, reached) * (reverse ? -1 : 1) > 0)
      throw new StoreError('corrupt', 'a part of the realm cannot be read: restore a backup')
  return found
}

const isBefore = (key: string, from: string | undefined, reverse: boolean): boolean =>
  from !== undefined && compareKeys(key, from) * (reverse ? -1 : 1) < 0

/** Where the engine begins. */
function startOf(range: Range): RangeOptions & { readonly start?: Buffer } {
  const { reverse = false } = range
  const { low, high } = boundsOf(range)
  const start = reverse ? high : low
  // Longer than any key, the engine's own limit included: its beginning stands as near to every key.
  return start === undefined || start === ''
    ? { reverse }
    : { start: keyBytes(start).subarray(0, limits.keyBytes + 1), reverse }
}
