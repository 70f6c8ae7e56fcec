import { createHash } from 'node:crypto'
import { lstat, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'

/** A folder for unfinished work. */
export interface WorkFolder {
  readonly path: string
  /** Removes it with all that is in it. */
  readonly remove: () => Promise<void>
}

/**
 * Creates a folder that others can recognise as in use: a socket in it answers as long as its process lives. Process
 * ids would prove less, because they are reused, and containers that share a folder have their own.
 *
 * @param prefix - of the folder's path; a unique suffix follows
 */
export async function makeWorkFolder(prefix: string): Promise<WorkFolder> {
  const path = await mkdtemp(prefix)
  const server = await listenIn(path)
  // A sweep removes an empty folder, which may be one whose maker was killed: this one then makes another.
  if (server === undefined && !(await isMarked(path))) return makeWorkFolder(prefix)
  return {
    path,
    remove: async () => {
      // The socket goes last, so that a folder without one is empty.
      for (const name of await readdir(path).catch(() => []))
        if (name !== basename(socketIn(path))) await rm(join(path, name), { recursive: true, force: true })
      await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)))
      await rm(path, { recursive: true, force: true })
    },
  }
}

/** Marks a folder that has no socket as not empty; answers whether it is still there. */
const isMarked = (folder: string): Promise<boolean> =>
  writeFile(join(folder, 'no-socket'), '').then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
      throw error
    },
  )

/**
 * Removes the folders of that prefix whose processes are gone, and empty ones. Other folders that prove nothing stay: the
 * caller may know more.
 *
 * @returns the paths of those whose processes live
 */
export async function sweepWorkFolders(parent: string, prefix: string): Promise<readonly string[]> {
  const inUse: string[] = []
  const uid = process.getuid?.()
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue
    const path = join(parent, name)
    const found = await lstat(path).catch(() => undefined)
    // In a shared folder, files of other users may be a trap.
    if (found?.isDirectory() !== true || found.uid !== (uid ?? found.uid)) continue
    const state = await processOf(path)
    if (state === 'gone') await rm(path, { recursive: true, force: true })
    else if (state === 'alive') inUse.push(path)
    // Its process was killed before there was a socket. The system refuses to remove one that is not empty.
    else await rmdir(path).catch(() => undefined)
  }
  return inUse
}

/** Of this machine: a socket that another one made in a shared folder never answers here. */
const socketIn = (folder: string): string =>
  join(folder, `alive-${createHash('sha256').update(hostname()).digest('hex').slice(0, 8)}`)

/** Systems cut off longer names without a word. */
const longestSocket = 100

/** A socket that marks a live process; `undefined` if none can be opened. */
function listenIn(folder: string): Promise<Server | undefined> {
  const path = socketIn(folder)
  if (Buffer.byteLength(path) > longestSocket) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(undefined))
    // Exclusive: the workers of a cluster would else hand it to their primary, which outlives them.
    server.listen({ path, exclusive: true }, () => resolve(server))
    server.unref()
  })
}

/** What the socket of a folder says of its process: it answers, or refuses, or there is none. */
const processOf = (folder: string): Promise<'alive' | 'gone' | 'unknown'> =>
  new Promise((resolve) => {
    const path = socketIn(folder)
    if (Buffer.byteLength(path) > longestSocket) return resolve('unknown')
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      resolve('alive')
    })
    socket.once('error', (error) =>
      resolve('code' in error && error.code === 'ECONNREFUSED' ? 'gone' : 'unknown'),
    )
  })
