import type { ByteReader } from './byte-reader.ts'
import type { Entry, EntryKind, Visit } from './entry.ts'
import { decodeName, entryPath } from './entry-path.ts'
import { invalid, shown } from './problem.ts'

const blockBytes = 512
/** The maximum size of an extension header: more than any path, with room for attributes that are ignored here. */
const longestExtension = 256 * 1024

/** The extension fields for the next entry. */
interface Extension {
  path?: string
  target?: string
  size?: number
}

/** Reads a tar archive: the ustar, pax and GNU forms. */
export async function readTar(reader: ByteReader, visit: Visit): Promise<void> {
  let extension: Extension = {}
  for (;;) {
    const block = await reader.take(blockBytes)
    if (block.length === 0) return
    if (block.length < blockBytes) throw cutOff()
    // The archive ends with a block of zeros; the rest is padding, which is still unpacked and counted.
    if (isZero(block)) {
      for await (const chunk of reader.chunks(Number.POSITIVE_INFINITY))
        if (!isZero(chunk))
          throw invalid('the archive goes on after its end, where programs differ in what they unpack')
      return
    }
    const header = readHeader(block)
    const extended = await readExtension(header, extension, reader)
    if (extended) {
      extension = extended
      continue
    }
    await readEntry(header, extension, reader, visit)
    extension = {}
  }
}

interface Header {
  readonly name: string
  readonly target: string
  readonly size: number
  readonly type: string
}

async function readEntry(
  header: Header,
  extension: Extension,
  reader: ByteReader,
  visit: Visit,
): Promise<void> {
  const name = extension.path ?? header.name
  const kind = kindOf(header.type, name)
  const entry: Entry = { path: entryPath(name), kind, target: extension.target ?? header.target }
  const size = kind === 'file' ? (extension.size ?? header.size) : 0
  if (kind !== 'file' && header.size !== 0) throw invalid(`${shown(name)} is a ${kind} with content`)
  const end = reader.position() + size
  await visit(entry, reader.chunks(size))
  const left = end - reader.position()
  if ((await reader.skip(left)) < left) throw cutOff()
  await skipPadding(reader, size)
}

/** Reads a header that extends the next one. */
async function readExtension(
  { type, size }: Header,
  before: Extension,
  reader: ByteReader,
): Promise<Extension | undefined> {
  if (!['L', 'K', 'x', 'g'].includes(type)) return undefined
  if (size > longestExtension) throw invalid(`a header of the archive has ${size} bytes: that is too much`)
  const bytes = await reader.take(size)
  if (bytes.length < size) throw cutOff()
  await skipPadding(reader, size)
  switch (type) {
    case 'L':
      return extended(before, { path: textOf(bytes) })
    case 'K':
      return extended(before, { target: textOf(bytes) })
    case 'x':
      return extended(before, readPax(bytes))
    default:
      // Fields of all entries together, such as times and the commit of the archive.
      if (Object.keys(readPax(bytes)).length > 0)
        throw invalid('a header for all files of the archive gives them a path or a size')
      return before
  }
}

/** Programs differ in which of two headers they believe. */
function extended(before: Extension, more: Extension): Extension {
  if (Object.keys(more).some((field) => Object.hasOwn(before, field)))
    throw invalid('two headers of the archive give one file its path, target or size')
  return { ...before, ...more }
}

async function skipPadding(reader: ByteReader, size: number): Promise<void> {
  const padding = (blockBytes - (size % blockBytes)) % blockBytes
  if ((await reader.skip(padding)) < padding) throw cutOff()
}

function readHeader(block: Uint8Array): Header {
  const sum = octal(block.subarray(148, 156))
  let actual = 0
  for (let at = 0; at < blockBytes; at += 1) actual += at >= 148 && at < 156 ? 32 : (block[at] ?? 0)
  if (sum !== actual) throw invalid('the archive is damaged: a header does not have its own checksum')
  const isPosix = textOf(block.subarray(257, 263)) === 'ustar' && block[262] === 0
  const prefix = isPosix ? textOf(block.subarray(345, 500)) : ''
  const name = textOf(block.subarray(0, 100))
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    target: textOf(block.subarray(157, 257)),
    size: octal(block.subarray(124, 136)),
    type: String.fromCharCode(block[156] ?? 0),
  }
}

function kindOf(type: string, name: string): EntryKind {
  switch (type) {
    case '0':
    case '\0':
    case '7':
      // The oldest form has no type for a folder.
      return name.endsWith('/') ? 'folder' : 'file'
    case '1':
      return 'hardlink'
    case '2':
      return 'symlink'
    case '5':
      return 'folder'
    case '3':
    case '4':
    case '6':
      throw invalid(`${shown(name)} is a device or a pipe, which modules cannot contain`)
    case 'S':
      throw invalid(`${shown(name)} is a sparse file: make the archive without --sparse`)
    default:
      throw invalid(`${shown(name)} has the unknown type ${shown(type)}`)
  }
}

/** Reads `length key=value` lines. */
function readPax(bytes: Uint8Array): Extension {
  const extension: Extension = {}
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = space < 0 ? 0 : Number(decodeName(bytes.subarray(at, space)))
    const end = at + length
    if (!Number.isSafeInteger(length) || length < 5 || end > bytes.length || bytes[end - 1] !== 0x0a)
      throw invalid('the archive is damaged: an extended header is not readable')
    const equals = bytes.indexOf(0x3d, space)
    if (equals < 0 || equals >= end) throw invalid('the archive is damaged: an extended header has no value')
    const key = decodeName(bytes.subarray(space + 1, equals))
    const value = bytes.subarray(equals + 1, end - 1)
    if (key === 'path') extension.path = decodeName(value)
    else if (key === 'linkpath') extension.target = decodeName(value)
    else if (key === 'size') extension.size = decimal(decodeName(value))
    else if (key.startsWith('GNU.sparse.'))
      throw invalid('the archive holds a sparse file: make it without --sparse')
    at = end
  }
  return extension
}

/** Text up to its first zero byte. */
const textOf = (bytes: Uint8Array): string => {
  const end = bytes.indexOf(0)
  return decodeName(end < 0 ? bytes : bytes.subarray(0, end))
}

function decimal(text: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw invalid('the archive is damaged: a size is not a number')
  return value
}

/** A number in octal digits or, if its first bit is set, in binary. */
function octal(bytes: Uint8Array): number {
  if (((bytes[0] ?? 0) & 0x80) !== 0) {
    let value = (bytes[0] ?? 0) & 0x7f
    for (const byte of bytes.subarray(1)) value = value * 256 + byte
    if (!Number.isSafeInteger(value)) throw invalid('the archive is damaged: a size is not a number')
    return value
  }
  const text = String.fromCharCode(...bytes)
    .replace(/[\0 ]+$/, '')
    .trimStart()
  if (!/^[0-7]*$/.test(text)) throw invalid('this is not a tar archive: a number in a header is not octal')
  return text === '' ? 0 : Number.parseInt(text, 8)
}

/** A loop, because there may be hundreds of megabytes of them. */
function isZero(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] !== 0) return false
  return true
}

const cutOff = () => invalid('the archive is cut off: it ends within a file')
