import { parsedJson } from '../../kernel/decoded.ts'
import { isObject } from '../../kernel/objects.ts'
import { checkHead, checkImported } from '../port/check.ts'
import { endOfTurn } from '../port/end-of-turn.ts'
import { StoreError } from '../port/errors.ts'
import { type Entry, type Json, limits, type Rev, type Store } from '../port/port.ts'

/**
 * The progress of a snapshot or restore.
 */
export interface Progress {
  readonly entries: number
  /** Bytes of the file so far: a reader that knows its size can show a percentage. */
  readonly bytes: number
}

/**
 * Options of {@link saveRealm} and {@link restoreRealm}.
 */
export interface PortableOptions {
  /** Called with the progress at least every thousand entries, and at the end. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

const format = 1

/**
 * Writes a consistent snapshot of a realm as portable text: JSON lines that any adapter can restore.
 *
 * @remarks
 * A header, one line per entry in key order, and a footer with the count and a CRC-32 of everything before it; in
 * pieces of about 1 MiB, or of one longer entry. Sealed values stay sealed if the store below the barrier is passed.
 * Blobs and the log of past commits are not included.
 *
 * @param write - called with the text piece by piece; its result is awaited
 * @returns the revision of the snapshot
 *
 * @example
 * ```ts
 * import { memoryStore, restoreRealm, saveRealm } from 'plinth/store'
 *
 * const store = memoryStore()
 * await store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])
 * const pieces: string[] = []
 * await saveRealm(store, (text) => pieces.push(text)) // 1
 *
 * const other = memoryStore()
 * await restoreRealm(other, pieces) // 1
 * other.snapshot().get('a')?.value // 1
 * ```
 */
export function saveRealm(
  store: Store,
  write: (text: string) => unknown,
  options: PortableOptions = {},
): Promise<Rev> {
  return saveRealmBytes(store, (_, text) => write(text), options)
}

/**
 * The same for a writer of UTF-8. The buffer is reused: its bytes are valid until the writer's promise settles, because
 * V8 spends some garbage collection on every large buffer, and a few of them for each write add up.
 */
export async function saveRealmBytes(
  store: Store,
  write: (bytes: Uint8Array, text: string) => unknown,
  options: PortableOptions = {},
): Promise<Rev> {
  const encode = reusingEncoder()
  let crc = crcStart
  let entries = 0
  let bytes = 0
  const put = async (text: string) => {
    const encoded = encode(text)
    crc = crcOf(crc, encoded)
    bytes += encoded.length
    await write(encoded, text)
  }
  return store.read(async (view) => {
    await put(`${JSON.stringify({ plinth: 'realm', format, head: view.rev })}\n`)
    let limit = firstPage
    for (let after: string | undefined, more = true; more; ) {
      const page = await view.scan({ prefix: '', after, limit })
      let units = 0
      let text = ''
      for (const entry of page) {
        text += lineOf(entry)
        if (text.length < writtenUnits) continue
        units += text.length
        await put(text)
        text = ''
      }
      if (text !== '') await put(text)
      entries += page.length
      if (page.length > 0) options.onProgress?.({ entries, bytes })
      after = page.at(-1)?.key
      more = page.length === limit
      limit = nextLimit(limit, units + text.length)
      await endOfTurn(store)
    }
    const footer = `${JSON.stringify({ entries, crc32: crcEnd(crc) })}\n`
    await write(encode(footer), footer)
    return view.rev
  })
}

/**
 * Restores a realm from the output of {@link saveRealm} into an empty one; revisions are kept, so that no index ever
 * falls.
 *
 * @remarks
 * Holds a few thousand entries in memory at a time, except in a memory store. The checksum is at the end of the file:
 * the realm stays invisible until all of it was verified, also when the process or the database dies in the middle.
 * Restore again then.
 *
 * @param text - the file, in pieces of any size: a Node read stream, a web stream, an array
 * @returns the revision of the realm
 * @throws {@link StoreError} of code `corrupt` (with the line), `wrong_schema`, `foreign` or `not_empty`; the realm
 * then stays empty
 *
 * @example
 * ```ts
 * import { isStoreError, memoryStore, restoreRealm, saveRealm } from 'plinth/store'
 *
 * const store = memoryStore()
 * await store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])
 * let saved = ''
 * await saveRealm(store, (text) => void (saved += text))
 *
 * await restoreRealm(memoryStore(), [saved]) // 1
 * const error = await restoreRealm(memoryStore(), [saved.replace('"a"', '"b"')]).catch((thrown: unknown) => thrown)
 * isStoreError(error, 'corrupt') // true
 * ```
 */
export async function restoreRealm(
  store: Store,
  text: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  options: PortableOptions = {},
): Promise<Rev> {
  const lines = linesOf(text)
  const first = await lines.next()
  const head = headOf(first.done === true ? '' : first.value.text)
  await store.import(entriesOf(lines, head, options, first.done === true ? crcStart : first.value.crc), head)
  return head
}

/** The interval of progress reports, and the maximum number of entries per read. */
const pageSize = 1_000
/** The sizes of the entries are not known yet: a few of the largest fit into memory, a thousand do not. */
const firstPage = 64
/** The approximate size of the entries per read. */
const pageUnits = 1024 * 1024
/**
 * The approximate size of a write: a writer that yields between writes, as encryption does, blocks the process for one
 * write.
 */
const writtenUnits = 128 * 1024

/** The number of entries that would have reached that size, if the next are like the previous ones. */
const nextLimit = (limit: number, units: number): number =>
  Math.max(1, Math.min(pageSize, limit * 8, Math.floor((limit * pageUnits) / Math.max(1, units))))

/** JSON text may escape a character as six. */
const longestLine = 6 * limits.valueBytes
const encoder = new TextEncoder()

/** Encodes each text into the same buffer, which grows as they do. */
function reusingEncoder(): (text: string) => Uint8Array {
  let buffer = new Uint8Array(writtenUnits)
  return (text) => {
    // A unit of UTF-16 is three bytes at most.
    if (text.length * 3 > buffer.length) buffer = new Uint8Array(text.length * 3)
    return buffer.subarray(0, encoder.encodeInto(text, buffer).written)
  }
}

const lineOf = ({ key, value, created, modified }: Entry): string =>
  `${JSON.stringify([key, created, modified, value])}\n`

function headOf(line: string): Rev {
  const header = parsedJson(line)
  if (!isObject(header) || header['plinth'] !== 'realm')
    throw new StoreError('foreign', 'this is not a saved realm: its first line is not the header')
  if (header['format'] !== format)
    throw new StoreError(
      'wrong_schema',
      `the saved realm has format ${String(header['format'])}; this version of plinth reads ${format}`,
    )
  // checkHead refuses values that are not numbers.
  const head = header['head'] as Rev
  soundly(1, () => checkHead(head))
  return head
}

/** A refusal of a check means that a line is damaged. */
function soundly(line: number, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw new StoreError('corrupt', `line ${line}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

interface Line {
  readonly text: string
  /** The checksum of everything up to this line's end. */
  readonly crc: number
  readonly bytes: number
}

async function* entriesOf(
  lines: AsyncGenerator<Line, void>,
  head: Rev,
  { onProgress }: PortableOptions,
  headerCrc: number,
): AsyncIterable<Entry> {
  let entries = 0
  let number = 1
  let ended = false
  let crc = headerCrc
  for await (const line of lines) {
    number += 1
    if (ended) throw new StoreError('corrupt', `line ${number}: there is more after the footer`)
    const value = parsedJson(line.text)
    if (isObject(value)) {
      if (value['entries'] !== entries || value['crc32'] !== crcEnd(crc))
        throw new StoreError(
          'corrupt',
          `line ${number}: count or checksum do not match: the file was changed`,
        )
      ended = true
      onProgress?.({ entries, bytes: line.bytes })
      continue
    }
    if (!Array.isArray(value) || value.length !== 4)
      throw new StoreError('corrupt', `line ${number}: not an entry: the file is damaged or cut off`)
    // checkImported refuses values of other types.
    const [key, created, modified, inner] = value as [string, number, number, Json]
    const entry: Entry = { key, value: inner, created, modified }
    soundly(number, () => checkImported(entry, head))
    yield entry
    entries += 1
    crc = line.crc
    if (entries % pageSize === 0) onProgress?.({ entries, bytes: line.bytes })
  }
  if (!ended) throw new StoreError('corrupt', `line ${number}: the footer is missing: the file was cut off`)
}

async function* linesOf(
  text: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): AsyncGenerator<Line, void> {
  const decoder = new TextDecoder()
  /** An incomplete line: only the new part is searched for its end. */
  let begun = ''
  let crc = crcStart
  let bytes = 0
  const line = (complete: string): Line => {
    const encoded = encoder.encode(complete)
    crc = crcOf(crc, encoded)
    bytes += encoded.length
    return { text: complete, crc, bytes }
  }
  for await (const piece of text) {
    const added = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
    let from = 0
    for (let end = added.indexOf('\n'); end >= 0; end = added.indexOf('\n', from)) {
      yield line(begun + added.slice(from, end + 1))
      begun = ''
      from = end + 1
    }
    begun += added.slice(from)
    if (begun.length > longestLine)
      throw new StoreError('corrupt', 'a line is longer than any entry can be: the file is damaged')
  }
  begun += decoder.decode()
  if (begun !== '') yield line(begun)
}

// CRC-32 (IEEE 802.3), which common tools can verify.
const crcStart = 0xffff_ffff
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1
  return value
})
const crcOf = (crc: number, bytes: Uint8Array): number => {
  let value = crc
  for (const byte of bytes) value = (value >>> 8) ^ (crcTable[(value ^ byte) & 0xff] ?? 0)
  return value
}
const crcEnd = (crc: number): string => ((crc ^ 0xffff_ffff) >>> 0).toString(16).padStart(8, '0')
