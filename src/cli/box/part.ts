import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { lstat, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../user-error.ts'

/** The downloaded part of an image, in a file that outlives the process. */
export interface Part {
  readonly length: () => number
  /** How often it was restarted. */
  readonly beginnings: () => number
  /** Emits `more` when it has grown. */
  readonly news: EventEmitter
  /** The validator of the image (an ETag), if its server sent one. */
  readonly etag: () => Promise<string | undefined>
  /** Discards the part, to start from the first byte. */
  readonly begin: (etag: string | undefined) => Promise<void>
  readonly append: (bytes: Uint8Array) => Promise<void>
  readonly read: (at: number, length: number) => Promise<Uint8Array>
  readonly close: () => Promise<void>
}

export async function openPart(path: string): Promise<Part> {
  const etagPath = `${path}.etag`
  const file = await open(path, 'a+', 0o600)
  let length = (await file.stat()).size
  let beginnings = 0
  const news = new EventEmitter()
  return {
    length: () => length,
    beginnings: () => beginnings,
    news,
    etag: () => readFile(etagPath, 'utf8').catch(() => undefined),
    begin: async (etag) => {
      if (length > 0) beginnings += 1
      length = 0
      await file.truncate(0)
      // A weak one may be the same for images that differ in some bytes.
      if (etag !== undefined && !etag.startsWith('W/')) await writeFile(etagPath, etag, { mode: 0o600 })
      else await rm(etagPath, { force: true })
      news.emit('more')
    },
    append: async (bytes) => {
      await file.appendFile(bytes)
      length += bytes.length
      news.emit('more')
    },
    read: async (at, wanted) => {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at)
      if (bytesRead === 0) throw new Error('the image changed during the download')
      return buffer.subarray(0, bytesRead)
    },
    close: () => file.close(),
  }
}

/** The file of an image until it is uploaded: the same in every run, so that an interrupted download can be resumed. */
export async function partPath(source: string, what: string): Promise<string> {
  const folder = join(tmpdir(), `plinth-mirror-${process.getuid?.() ?? ''}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = await lstat(folder)
  // In a folder that all users can write to, another user may have created it.
  const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o170077) === 0o040000)
  if (!isOurs)
    throw new UserError(`${folder} is not private to this user: remove it, or set TMPDIR to another folder`)
  return join(folder, createHash('sha256').update(`${source} ${what}`).digest('hex'))
}

export async function removePart(path: string): Promise<void> {
  for (const each of [path, `${path}.etag`]) await rm(each, { force: true })
}
