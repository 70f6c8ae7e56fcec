import { createHash } from 'node:crypto'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'

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
  return {
    path,
    remove: async () => {
      await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)))
      await rm(path, { recursive: true, force: true })
    },
  }
}

/**
 * Removes the folders of that prefix whose processes are gone. Folders that prove nothing stay: the caller may know more.
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
    const user = await userOf(path)
    if (user === 'gone') await rm(path, { recursive: true, force: true })
    else if (user === 'alive') inUse.push(path)
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

/** What is known of its process; it is gone where its socket is there, and refuses. */
const userOf = (folder: string): Promise<'alive' | 'gone' | 'unknown'> =>
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
