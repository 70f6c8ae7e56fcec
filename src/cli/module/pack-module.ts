import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip, gzipSync } from 'node:zlib'
import { UserError } from '../user-error.ts'
import type { ModuleFile } from './module-files.ts'

const blockBytes = 512

/** A finished archive. */
export interface PackedModule {
  readonly size: number
  /** In lower-case hex. */
  readonly sha256: string
}

/**
 * Writes the files of a module as a tar.gz. The same files give the same bytes, on every machine and at any time.
 */
export async function packModule(files: readonly ModuleFile[], into: string): Promise<PackedModule> {
  const hash = createHash('sha256')
  let size = 0
  await pipeline(
    tarOf(files),
    createGzip({ level: 9 }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        size += chunk.length
        yield chunk
      }
    },
    createWriteStream(into, { mode: 0o600 }),
  )
  return { size, sha256: hash.digest('hex') }
}

async function* tarOf(files: readonly ModuleFile[]): AsyncGenerator<Buffer> {
  for (const file of files) {
    yield* tarHeaders(file)
    if (file.target !== undefined) continue
    let size = 0
    for await (const chunk of createReadStream(file.place)) {
      size += chunk.length
      yield chunk
    }
    if (size !== file.size) throw new UserError(`${file.place} changed while it was read: try again`)
    yield padding(size)
  }
  yield Buffer.alloc(2 * blockBytes)
}

/** A tar.gz of texts by their paths. */
export const packTexts = (texts: Readonly<Record<string, string>>): Buffer =>
  gzipSync(
    Buffer.concat([
      ...Object.entries(texts).flatMap(([path, text]) => {
        const bytes = Buffer.from(text)
        const { length: size } = bytes
        return [...tarHeaders({ path, size, isExecutable: false, target: undefined }), bytes, padding(size)]
      }),
      Buffer.alloc(2 * blockBytes),
    ]),
  )

const padding = (size: number): Buffer => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)

function* tarHeaders({ path, size, isExecutable, target }: Omit<ModuleFile, 'place'>): Generator<Buffer> {
  const long: Record<string, string> = {}
  if (!fits(path)) long['path'] = path
  if (target !== undefined && !fits(target)) long['linkpath'] = target
  if (Object.keys(long).length > 0) yield extension(long)
  const mode = isExecutable ? 0o755 : 0o644
  yield header({ path, size, mode, type: target === undefined ? '0' : '2', target: target ?? '' })
}

/** Names that every reader takes from the header itself. */
const fits = (name: string): boolean => name.length <= 100 && /^[\x00-\x7f]*$/.test(name)

function header(entry: {
  readonly path: string
  readonly size: number
  readonly mode: number
  readonly type: string
  readonly target: string
}): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, at)
  block.write(entry.path.slice(0, 100), 0, 100)
  octal(entry.mode, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(entry.size, 124, 11)
  octal(0, 136, 11)
  block.write('        ', 148)
  block.write(entry.type, 156)
  block.write(entry.target.slice(0, 100), 157, 100)
  block.write('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** Attributes of the entry after it, in the pax form. */
function extension(attributes: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(attributes).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`)
    let length = rest
    while (String(length).length + rest !== length) length = String(length).length + rest
    return `${length} ${key}=${value}\n`
  })
  const bytes = Buffer.from(lines.join(''))
  const head = header({ path: 'PaxHeaders/next', size: bytes.length, mode: 0o644, type: 'x', target: '' })
  return Buffer.concat([head, bytes, padding(bytes.length)])
}
