import { checkCharacters, decodeName } from './entry-path.ts'
import { invalid, shown, tooLarge } from './problem.ts'
import { type ArchiveSource, bytesOf } from './source.ts'

/** One entry in the directory of a zip archive. */
export interface ListedEntry {
  readonly name: string
  readonly method: 'stored' | 'deflated'
  readonly crc: number
  readonly packedBytes: number
  readonly unpackedBytes: number
  /** The position of its local header. */
  readonly offset: number
  /** Unix attributes; `undefined` if the archive was created on another system. */
  readonly unixMode: number | undefined
}

/** The end record and the longest comment after it. */
const longestEnd = 22 + 65_535
const longestDirectory = 32 * 1024 * 1024
const none32 = 0xffff_ffff

/** Reads the directory at the end of a zip archive: its entries in the order of their bytes. */
export async function readDirectory(
  source: ArchiveSource,
  maxEntries: number,
): Promise<{ readonly entries: readonly ListedEntry[]; readonly directoryAt: number }> {
  const tailAt = Math.max(0, source.size - longestEnd)
  const tail = viewOf(await bytesOf(source, tailAt, source.size))
  const at = findEnd(tail)
  const end = {
    disks: tail.getUint16(at + 4, true) + tail.getUint16(at + 6, true),
    count: tail.getUint16(at + 10, true),
    size: tail.getUint32(at + 12, true),
    offset: tail.getUint32(at + 16, true),
  }
  // Archives that need 64-bit fields for these exceed the limits of the registry.
  if (end.count > maxEntries || end.count === 0xffff) throw tooLarge(tooMany(maxEntries))
  if (end.size > longestDirectory || end.offset === none32)
    throw tooLarge('the list of what is in the archive is too long')
  if (end.disks !== 0) throw invalid('the archive is one part of several: make it in one piece')
  if (end.offset + end.size !== tailAt + at)
    throw invalid('the archive is damaged: the list of what is in it is not where its end says')
  const bytes = await bytesOf(source, end.offset, end.offset + end.size)
  const entries = listed(bytes, end.count)
  return { entries: entries.sort((a, b) => a.offset - b.offset), directoryAt: end.offset }
}

export const tooMany = (most: number): string =>
  `the archive holds more than ${most} files, folders and links`

/** The position of the end record: the last one whose comment ends with the archive. */
function findEnd(tail: DataView): number {
  for (let at = tail.byteLength - 22; at >= 0; at -= 1)
    if (
      tail.getUint32(at, true) === 0x06054b50 &&
      at + 22 + tail.getUint16(at + 20, true) === tail.byteLength
    )
      return at
  throw invalid('the archive is cut off or no zip archive: it has no end record')
}

function listed(bytes: Uint8Array, count: number): ListedEntry[] {
  const view = viewOf(bytes)
  const entries: ListedEntry[] = []
  let at = 0
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) throw damaged()
    const nameLength = view.getUint16(at + 28, true)
    const extraLength = view.getUint16(at + 30, true)
    const nameAt = at + 46
    const next = nameAt + nameLength + extraLength + view.getUint16(at + 32, true)
    if (next > bytes.length) throw damaged()
    const nameBytes = bytes.subarray(nameAt, nameAt + nameLength)
    const name = decodeName(nameBytes)
    checkCharacters(name, 'path')
    checkFlags(view.getUint16(at + 8, true), name)
    const extra = [...fieldsOf(bytes.subarray(nameAt + nameLength, nameAt + nameLength + extraLength))]
    checkOtherName(extra, name)
    const sizes = wideSizes(
      {
        unpackedBytes: view.getUint32(at + 24, true),
        packedBytes: view.getUint32(at + 20, true),
        offset: view.getUint32(at + 42, true),
      },
      extra,
    )
    const isUnix = [3, 19].includes(bytes[at + 5] ?? 0)
    entries.push({
      name,
      method: methodOf(view.getUint16(at + 10, true), name),
      crc: view.getUint32(at + 16, true),
      ...sizes,
      unixMode: isUnix ? view.getUint16(at + 40, true) : undefined,
    })
    at = next
  }
  if (at !== bytes.length) throw damaged()
  return entries
}

/** An extra field of an entry. */
interface ExtraField {
  readonly id: number
  readonly bytes: Uint8Array
}

function* fieldsOf(extra: Uint8Array): Generator<ExtraField, void> {
  const view = viewOf(extra)
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + view.getUint16(at + 2, true)
    if (end > extra.length) throw damaged()
    yield { id: view.getUint16(at, true), bytes: extra.subarray(at + 4, end) }
    at = end
  }
}

/** Some programs prefer the name in an extra field, which begins with a version and a checksum. */
function checkOtherName(extra: readonly ExtraField[], name: string): void {
  for (const { id, bytes } of extra)
    if (id === 0x7075 && decodeName(bytes.subarray(5)) !== name)
      throw invalid(`${shown(name)} has another name in an extra field`)
}

/** Some tools write 64-bit sizes even for small files. */
function wideSizes<Sizes extends Record<'unpackedBytes' | 'packedBytes' | 'offset', number>>(
  sizes: Sizes,
  extra: readonly ExtraField[],
): Sizes {
  const wide = { ...sizes }
  for (const { id, bytes } of extra) {
    if (id !== 1) continue
    let field = 0
    for (const name of ['unpackedBytes', 'packedBytes', 'offset'] as const) {
      if (sizes[name] !== none32) continue
      if (field + 8 > bytes.length) throw damaged()
      wide[name] = Number(viewOf(bytes).getBigUint64(field, true))
      field += 8
    }
  }
  return wide
}

export function checkFlags(flags: number, name: string): void {
  if ((flags & 0x2041) !== 0)
    throw invalid(`${shown(name)} is encrypted: make the archive without a password`)
}

function methodOf(method: number, name: string): ListedEntry['method'] {
  if (method === 0) return 'stored'
  if (method === 8) return 'deflated'
  if (method === 99) throw invalid(`${shown(name)} is encrypted: make the archive without a password`)
  throw invalid(`${shown(name)} is packed by method ${method}; module clients can unpack deflate only`)
}

const damaged = () => invalid('the archive is damaged: the list of what is in it is not readable')

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
