import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import type { ArchiveSource } from '../../../src/registry/archive/source.ts'
import { nodeUnpacking } from '../../../src/store/blobs/node-unpacking.ts'

/** An entry of an archive that a test makes; a string is a file's text. */
export interface Made {
  readonly path: string
  readonly text?: string | Uint8Array
  /** The type of a tar entry: `0` file, `5` folder, `2` symbolic link, `1` hard link, `3` device. */
  readonly type?: string
  readonly target?: string
  /** What a tar header or a zip directory says the size is, where it lies. */
  readonly size?: number
  /** Zip: the mode on Unix, the flags, the method, and another name in the entry's own header. */
  readonly mode?: number
  readonly flags?: number
  readonly method?: number
  readonly localName?: string
  readonly crc?: number
  /** Zip: the extra fields in the directory. */
  readonly extra?: Buffer
}

const bytesOf = (text: string | Uint8Array = ''): Buffer => Buffer.from(text as string)

/** One tar entry: a header of 512 bytes, then the bytes, padded to 512. */
export function tarEntry({ path, text, type = '0', target = '', size }: Made): Buffer {
  const bytes = bytesOf(text)
  const header = Buffer.alloc(512)
  header.write(path, 0, 100)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write(type, 156)
  header.write(target, 157, 100)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
}

/** A pax header: attributes of the entry after it. */
export function pax(attributes: Readonly<Record<string, string>>, type = 'x'): Buffer {
  const lines = Object.entries(attributes).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`)
    let length = rest + 1
    while (String(length).length + rest !== length) length += 1
    return `${length} ${key}=${value}\n`
  })
  return tarEntry({ path: 'PaxHeaders/it', type, text: lines.join('') })
}

export const tar = (...entries: readonly (Made | Buffer)[]): Buffer =>
  Buffer.concat([
    ...entries.map((each) => (Buffer.isBuffer(each) ? each : tarEntry(each))),
    Buffer.alloc(1024),
  ])

export const tarGz = (...entries: readonly (Made | Buffer)[]): Buffer => gzipSync(tar(...entries))

export function zip(...entries: readonly Made[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const {
    path,
    text,
    target,
    mode,
    flags = 0x800,
    method = 8,
    localName = path,
    crc,
    size,
    extra = Buffer.alloc(0),
  } of entries) {
    const bytes = bytesOf(target ?? text)
    const packed = method === 8 ? deflateRawSync(bytes) : bytes
    const name = Buffer.from(path)
    const local = Buffer.from(localName)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(crc ?? crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size ?? bytes.length, 18)
    const localCommon = Buffer.from(common)
    localCommon.writeUInt16LE(local.length, 22)
    const own = Buffer.concat([Buffer.from('PK\u0003\u0004'), localCommon, local, packed])
    common.writeUInt16LE(name.length, 22)
    common.writeUInt16LE(extra.length, 24)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(((target === undefined ? (mode ?? 0o100644) : 0o120777) << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), common, tail, name, extra]),
    )
    parts.push(own)
    offset += own.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 0, 'latin1')
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 8)
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listed, end])
}

export const sourceOf = (bytes: Uint8Array, chunk = 64 * 1024): ArchiveSource => ({
  size: bytes.length,
  unpacking: nodeUnpacking,
  read: async function* (start, end) {
    for (let at = start; at < end; at += chunk) yield bytes.subarray(at, Math.min(end, at + chunk))
  },
})
