import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Env, systemEnv } from '../../kernel/index.ts'
import { StoreError } from '../port/errors.ts'
import { type Blobs, checkBlobId, checkBlobRange, clamp, measured } from './blobs.ts'
import { makeDirectory } from './make-directory.ts'
import { nodeHashing } from './node-hashing.ts'
import { syncPath } from './sync-path.ts'
import { makeWorkFolder, sweepWorkFolders, type WorkFolder } from './work-folder.ts'

const workPrefix = 'by-'

/** How much is read from a file at once. */
const chunkBytes = 256 * 1024
/** How much is written to a file at once; twice that is kept in memory for each upload. */
const writtenAtOnce = 512 * 1024

/**
 * Blobs as files of one directory, which several processes may share.
 *
 * @remarks
 * A body is written under a temporary name, synced, renamed, and the directory synced: after a crash a blob exists
 * completely or not at all, and blobs that `put` acknowledged exist. On opening, unfinished uploads of dead processes
 * of this machine are deleted, also those from before it was restarted if it has an `/etc/machine-id`; others an hour
 * after their process was last seen. Files and directories are created for their owner alone, and a directory that
 * vanishes is made again.
 *
 * @throws {@link StoreError} of code `disk_full` or `denied`
 *
 * @example
 * ```ts
 * import { directoryBlobs } from 'plinth/node'
 *
 * const blobs = await directoryBlobs('/var/lib/plinth/blobs')
 * const written = await blobs.put('upload-1', new Blob(['hello']).stream())
 * written.ok && written.size // 5
 * ```
 */
export async function directoryBlobs(
  directory: string,
  options: { readonly env?: (() => Env) | undefined } = {},
): Promise<Blobs> {
  const unfinished = join(directory, 'unfinished')
  const env = options.env ?? systemEnv
  await explained(async () => {
    await makeDirectory(unfinished).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
      throw new StoreError('denied', `cannot create the directory for uploads at ${directory}`, error)
    })
    await sweepWorkFolders(unfinished, workPrefix, env())
  })
  const upload = uploads(unfinished)
  // Two characters of the name make 4,000 folders at most: none grows too long to list.
  const place = (id: string) => join(directory, 'kept', id.slice(0, 2), id)
  const makeFolder = lastingFolders(directory)

  return {
    put: (id, body, putOptions = {}) => {
      checkBlobId(id)
      return explained(() =>
        upload(async (temporary) => {
          const measure = measured(body, putOptions, nodeHashing)
          const final = place(id)
          const file = await open(temporary, 'wx', 0o600)
          try {
            try {
              await writeBehind(file, measure.bytes)
              if (measure.isWithinLimit()) await Promise.all([file.sync(), makeFolder(dirname(final))])
            } finally {
              await file.close()
            }
            const result = measure.result()
            if (!result.ok) return result
            await rename(temporary, final)
            await syncPath(dirname(final))
            return result
          } finally {
            await rm(temporary, { force: true })
          }
        }),
      )
    },
    get: async (id, range = {}) => {
      checkBlobId(id)
      checkBlobRange(range)
      const file = await absent(explained(() => open(place(id), 'r')))
      if (file === undefined) return undefined
      const { size } = await orClosed(file, () => file.stat())
      return { size, body: streamOf(file, clamp(size, range)) }
    },
    delete: async (id) => {
      checkBlobId(id)
      const gone = await absent(explained(() => rm(place(id)).then(() => true)))
      if (gone === true) await syncPath(dirname(place(id)))
      return gone === true
    },
    list: () => keptIds(join(directory, 'kept')),
  }
}

async function* keptIds(kept: string): AsyncIterable<string> {
  for (const folder of (await absent(readdir(kept))) ?? [])
    for (const id of (await absent(readdir(join(kept, folder)))) ?? []) yield id
}

/** Runs uploads, each with the path of a file of its own. */
function uploads(unfinished: string) {
  /** One folder for all running uploads of this process; it does not exist while there are none. */
  let folder: Promise<WorkFolder> | undefined
  let running = 0
  let names = 0
  return async <T>(work: (temporary: string) => Promise<T>): Promise<T> => {
    running += 1
    names += 1
    const name = String(names)
    folder ??= makeWorkFolder(join(unfinished, workPrefix))
    const mine = folder
    try {
      const { path } = await mine
      // A cleaner of temporary files may have removed it.
      await makeDirectory(path)
      return await work(join(path, name))
    } finally {
      running -= 1
      if (running === 0) {
        folder = undefined
        // Failures are swept later.
        await mine.then(({ remove }) => remove()).catch(() => undefined)
      }
    }
  }
}

/** Makes the folders of a directory, whose names survive a crash. */
function lastingFolders(directory: string) {
  /** The folders whose own names are on disk: another process that created one may not have synced it yet. */
  const lasting = new Set<string>()
  return async (path: string): Promise<void> => {
    await makeDirectory(path)
    if (lasting.has(path)) return
    for (const above of [dirname(path), directory]) await syncPath(above)
    lasting.add(path)
  }
}

/**
 * Writes bytes while the next ones arrive: one buffer fills while the other is written to disk. Chunks are copied,
 * because their producer may reuse the memory.
 */
async function writeBehind(file: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let [filling, spare]: [Uint8Array, Uint8Array | undefined] = [Buffer.allocUnsafe(writtenAtOnce), undefined]
  let filled = 0
  let writing: Promise<void> = Promise.resolve()
  const turnOver = async () => {
    await writing
    const full = filling.subarray(0, filled)
    ;[filling, spare] = [spare ?? Buffer.allocUnsafe(writtenAtOnce), filling]
    filled = 0
    writing = writeAll(file, full)
    // Its failure is heard at the next turn, or at the end.
    writing.catch(() => undefined)
  }
  try {
    for await (const chunk of bytes)
      for (let at = 0; at < chunk.byteLength; ) {
        const some = chunk.subarray(at, at + writtenAtOnce - filled)
        filling.set(some, filled)
        filled += some.byteLength
        at += some.byteLength
        if (filled === writtenAtOnce) await turnOver()
      }
    await turnOver()
  } finally {
    // The file must not be closed during a write.
    await writing.catch(() => undefined)
  }
  await writing
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength; ) {
    const { bytesWritten } = await file.write(chunk, at)
    at += bytesWritten
  }
}

function streamOf(
  file: FileHandle,
  { start, end }: { start: number; end: number },
): ReadableStream<Uint8Array> {
  let at = start
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const chunk = new Uint8Array(Math.min(chunkBytes, end - at))
      const { bytesRead } =
        chunk.length === 0
          ? { bytesRead: 0 }
          : await orClosed(file, () => file.read(chunk, 0, chunk.length, at))
      at += bytesRead
      if (bytesRead > 0) controller.enqueue(chunk.subarray(0, bytesRead))
      if (at < end && bytesRead > 0) return
      await file.close()
      if (at < end) controller.error(new Error('a blob became shorter while it was open'))
      else controller.close()
    },
    cancel: () => file.close(),
  })
}

/** Runs an operation on a file; closes the file if it fails. */
async function orClosed<T>(file: FileHandle, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    await file.close()
    throw error
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

const absent = async <T>(found: Promise<T>): Promise<T | undefined> => {
  try {
    return await found
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
      throw new StoreError('disk_full', 'no space is left for uploads: nothing was stored', error)
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw new StoreError(
        'denied',
        'the directory for uploads is not writable: check its owner and mode',
        error,
      )
    if (code === 'ENOTDIR' || code === 'EEXIST')
      throw new StoreError(
        'denied',
        'the directory for uploads is a file, or below one: choose another',
        error,
      )
    throw error
  }
}
