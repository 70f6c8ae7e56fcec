import type { Database, RangeOptions, Transaction } from 'lmdb'
import { entryChecksum, recordChecksum } from '../files/checksum.ts'
import { StoreError } from '../port/errors.ts'
import { compareKeys, shown } from '../port/keys.ts'
import { type Entry, limits, type Range, type Rev, type Verdict } from '../port/port.ts'
import { boundsOf } from '../port/range-bounds.ts'
import { parseStored } from '../port/stored-value.ts'

/** The format of the file. Files of format 1, which has no checksums, are upgraded; any other format is refused. */
export const format = 2

/** A table of binary keys and values: LMDB then orders keys by their bytes. */
export type Table = Database<Buffer, Buffer>

/** The state read in one of LMDB's read transactions; empty inside a write transaction. */
export type Within = { readonly transaction: Transaction } | undefined

/** The bytes of a key. */
export const keyBytes = (key: string): Buffer => Buffer.from(key, 'utf8')

/** A revision as a key, so that revisions are in order. */
export function revKey(rev: Rev): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigUInt64BE(BigInt(rev))
  return bytes
}

export const revOf = (bytes: Buffer): Rev => Number(bytes.readBigUInt64BE())

// Both are in the log: the head after its last record, on a page that a commit writes anyway, the floor before the
// first.
export const headKey = Buffer.alloc(8, 0xff)
export const floorKey = Buffer.alloc(8, 0)

// A number of the realm, its head or its floor: the revision and its checksum. During an import, its id is stored
// here instead.
export const numberBytes = (under: Buffer, rev: Rev): Buffer =>
  Buffer.concat([revKey(rev), checksumBytes(recordChecksum(under, revKey(rev)))])

/** Whether the stored head is a revision, which it is not during an import. */
export const isNumber = (bytes: Buffer): boolean => bytes.length === 12

export const numberOf = (under: Buffer, bytes: Buffer): Rev => {
  if (recordChecksum(under, bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw damagedLog()
  return revOf(bytes)
}

function checksumBytes(checksum: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(checksum)
  return bytes
}

// An entry: created and modified as 8 bytes each, the checksum, then the value's JSON text. The sign of `created`
// marks entries with a checksum: those of format 1 have none until they are next written.
const header = 20
const oldHeader = 16

export function entryBytes(key: string, value: Entry['value'], created: Rev, modified: Rev): Buffer {
  const text = JSON.stringify(value)
  const bytes = Buffer.allocUnsafe(header + Buffer.byteLength(text))
  bytes.writeDoubleBE(-created, 0)
  bytes.writeDoubleBE(modified, 8)
  bytes.writeUInt32BE(entryChecksum(key, text, created, modified), oldHeader)
  bytes.write(text, header)
  return bytes
}

const createdOf = (bytes: Buffer): Rev => smallInteger(Math.abs(bytes.readDoubleBE(0)))
const modifiedOf = (bytes: Buffer): Rev => smallInteger(bytes.readDoubleBE(8))

/** The same number. V8 keeps what it reads as a double in an object of its own; of a small integer it need not. */
const smallInteger = (number: number): number => {
  const integer = number | 0
  return integer === number ? integer : number
}

/** Whether an entry has its own checksum. */
export const isChecked = (bytes: Buffer): boolean => bytes.readDoubleBE(0) < 0

/** The parsed bytes of an entry, once verified; `text` is its value as JSON. */
interface Stored {
  readonly created: Rev
  readonly modified: Rev
  readonly text: string
}

/**
 * The parts of an entry.
 *
 * @param unchecked - up to which revision entries may lack a checksum
 * @throws StoreError of code `corrupt`
 */
export function storedOf(key: string, bytes: Buffer, unchecked: Rev): Stored {
  if (bytes.length <= oldHeader) throw damaged(key)
  const [created, modified] = [createdOf(bytes), modifiedOf(bytes)]
  if (!isChecked(bytes)) {
    if (!(modified <= unchecked)) throw damaged(key)
    return { created, modified, text: bytes.toString('utf8', oldHeader) }
  }
  // Damaged bytes may decode to other text, but the checksum covers the bytes.
  const text = bytes.toString('utf8', header)
  if (entryChecksum(key, text, created, modified) !== bytes.readUInt32BE(oldHeader)) throw damaged(key)
  return { created, modified, text }
}

/** An entry from its bytes, as {@link storedOf} finds it. */
export function entryOf(key: string, bytes: Buffer, unchecked: Rev): Entry {
  const { created, modified, text } = storedOf(key, bytes, unchecked)
  return { key, value: parseStored(key, text), created, modified }
}

/**
 * Verifies that a key is absent and not merely damaged: a damaged key would still be between the same neighbours.
 */
export function insistAbsent({ entries, unchecked }: Tables, key: string, within: Within): void {
  const at = keyBytes(key)
  for (const reverse of [false, true])
    for (const { key: bytes, value } of entries.getRange({ start: at, limit: 1, reverse, ...within }))
      storedOf(bytes.toString('utf8'), value, unchecked)
}

/** The table of entries, and the context to read it. */
interface Tables {
  readonly entries: Table
  readonly unchecked: Rev
}

const damaged = (key: string) =>
  new StoreError('corrupt', `the value of ${shown(key)} is damaged: restore a backup`)

// A record of the log, or a remembered refusal: a byte that marks a checksum, the checksum, JSON text.
const checkedRecord = 1

function recordBytes(under: Buffer, content: unknown): Buffer {
  const text = JSON.stringify(content)
  const bytes = Buffer.allocUnsafe(5 + Buffer.byteLength(text))
  bytes[0] = checkedRecord
  bytes.write(text, 5)
  bytes.writeUInt32BE(recordChecksum(under, bytes.subarray(5)), 1)
  return bytes
}

/** Those of format 1 begin with their JSON text. */
function recordOf(under: Buffer, bytes: Buffer): unknown {
  const isOld = bytes[0] !== checkedRecord
  if (!isOld && recordChecksum(under, bytes.subarray(5)) !== bytes.readUInt32BE(1)) throw damagedLog()
  try {
    return JSON.parse(bytes.toString('utf8', isOld ? 0 : 5))
  } catch {
    throw damagedLog()
  }
}

const damagedLog = () => new StoreError('corrupt', 'the log of past commits is damaged: restore a backup')

/** A commit in the log, under its revision: its id, then the keys it wrote. */
export const logBytes = (at: Buffer, id: string, keys: readonly string[]): Buffer =>
  recordBytes(at, [id, ...keys])

/** @param unchecked - up to which revision the log may lack checksums */
export function logOf(
  at: Buffer,
  bytes: Buffer,
  unchecked: Rev,
): { readonly id: string; readonly keys: readonly string[] } {
  if (bytes[0] !== checkedRecord && revOf(at) > unchecked) throw damagedLog()
  // Written by logBytes.
  const [id = '', ...keys] = recordOf(at, bytes) as string[]
  return { id, keys }
}

/** A verdict under the id of its commit. */
export const verdictBytes = (id: Buffer, verdict: Verdict): Buffer => recordBytes(id, verdict)
// Written by verdictBytes.
export const verdictOf = (id: Buffer, bytes: Buffer): Verdict => recordOf(id, bytes) as Verdict

/** The commits after a revision, oldest first; none may be missing up to the head. */
export function* commitsAfter(
  { log, unchecked }: { readonly log: Table; readonly unchecked: Rev },
  after: Rev,
  head: Rev,
  within: Within,
): Iterable<{ readonly rev: Rev; readonly id: string; readonly keys: readonly string[] }> {
  let rev = after
  if (rev < head)
    for (const { key, value } of log.getRange({ start: revKey(after + 1), ...within })) {
      // The head is stored after the last record.
      if (revOf(key) !== rev + 1) break
      rev += 1
      yield { rev, ...logOf(key, value, unchecked) }
      if (rev === head) break
    }
  if (rev < head) throw damagedLog()
}

/** The entries of a range, in the direction of travel. */
export function scanTable({ entries: table, unchecked }: Tables, range: Range, within: Within): Entry[] {
  const { prefix, from, after, limit = Number.POSITIVE_INFINITY, reverse = false } = range
  // Backwards from '', the range is empty; the engine would read '' as no bound.
  if (limit === 0 || (reverse && (from === '' || after === ''))) return []
  const found: Entry[] = []
  const first = startOf(range)
  let reached = first.start
  for (const { key: bytes, value } of table.getRange({ ...first, ...within })) {
    const key = bytes.toString('utf8')
    const beyond = reverse ? compareKeys(key, prefix) < 0 : !key.startsWith(prefix)
    if (beyond) return found
    // The engine's bounds are inclusive; skip the extra first key.
    const skipped = !key.startsWith(prefix) || key === after || isBefore(key, from, reverse)
    if (!skipped) found.push(entryOf(key, value, unchecked))
    if (found.length >= limit) return found
    reached = bytes
  }
  // On some damaged pages, the engine behaves as at the end of the table.
  for (const end of table.getKeys({ reverse: !reverse, limit: 1, ...within }))
    if (reached === undefined || Buffer.compare(end, reached) * (reverse ? -1 : 1) > 0)
      throw new StoreError('corrupt', 'a part of the realm cannot be read: restore a backup')
  return found
}

const isBefore = (key: string, from: string | undefined, reverse: boolean): boolean =>
  from !== undefined && compareKeys(key, from) * (reverse ? -1 : 1) < 0

/** The start of the range for the engine. */
function startOf(range: Range): RangeOptions & { readonly start?: Buffer } {
  const { reverse = false } = range
  const { low, high } = boundsOf(range)
  const start = reverse ? high : low
  // Longer than any key and than the engine's limit: its prefix is compared instead.
  return start === undefined || start === ''
    ? { reverse }
    : { start: keyBytes(start).subarray(0, limits.keyBytes + 1), reverse }
}
