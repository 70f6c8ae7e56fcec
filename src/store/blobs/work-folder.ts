import { createHash } from 'node:crypto'
import { lstat, mkdtemp, readdir, readFile, rm, symlink, utimes } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { systemEnv, systemTimers } from '../../kernel/index.ts'
import { makeDirectory } from './make-directory.ts'

/** A folder for unfinished work. */
export interface WorkFolder {
  readonly path: string
  /** Removes it with all that is in it. */
  readonly remove: () => Promise<void>
}

/** How often a process touches its folders. */
const beatMs = 60_000

/** The age from which a folder is not in use, if its process cannot be asked. */
const forgottenAfterMs = 3_600_000

/**
 * Creates a folder that others can recognise as in use: a socket in it answers as long as its process lives, and the
 * process touches it every minute, for machines that cannot ask the socket. Process ids would prove less, because they
 * are reused, and containers that share a folder have their own.
 *
 * @param prefix - of the folder's path; a unique suffix follows
 */
export async function makeWorkFolder(prefix: string): Promise<WorkFolder> {
  await makeDirectory(dirname(prefix))
  const path = await mkdtemp(prefix)
  const server = await listenIn(path)
  let cancel = () => {}
  const beat = () => {
    cancel = systemTimers.after(beatMs, () => {
      const seconds = systemEnv().now / 1000
      utimes(path, seconds, seconds).catch(() => undefined)
      beat()
    })
  }
  beat()
  return {
    path,
    remove: async () => {
      cancel()
      await rm(path, { recursive: true, force: true })
      await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)))
    },
  }
}

/**
 * Removes the folders of that prefix whose processes are gone. What cannot be known is in use, until it is old.
 *
 * @returns the paths of those in use
 */
export async function sweepWorkFolders(
  parent: string,
  prefix: string,
  { now } = systemEnv(),
): Promise<readonly string[]> {
  const inUse: string[] = []
  const uid = process.getuid?.()
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue
    const path = join(parent, name)
    const found = await lstat(path).catch(() => undefined)
    if (found?.isDirectory() !== true) continue
    const life = await lifeIn(path)
    const isGone = life === 'gone' || (life === 'unknown' && now - found.mtimeMs > forgottenAfterMs)
    if (!isGone) inUse.push(path)
    // In a shared folder, files of other users may be a trap.
    else if (found.uid === (uid ?? found.uid)) await rm(path, { recursive: true, force: true })
  }
  return inUse
}

/** What begins the names of sockets; the machine and its run of the kernel follow. */
const alive = 'alive-'

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

/**
 * The machine, if it says which it is: most containers do not. Its host name alone would prove nothing, as several
 * machines that share a folder may have the same.
 */
const machine = (): Promise<string | undefined> =>
  readFile('/etc/machine-id', 'utf8').then(
    (id) => (id.trim() === '' ? undefined : digest(`${id.trim()} ${hostname()}`)),
    () => undefined,
  )

/** This run of the kernel, which containers share: a socket that another machine made never answers here. */
const run = async (): Promise<string> =>
  digest(await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(hostname))

const socketName = async (): Promise<string> => `${alive}${(await machine()) ?? 'unnamed'}-${await run()}`

/** Systems cut off longer names without a word. */
const longestSocket = 100

/** Uses the socket of a folder by a path that is short enough. */
async function atSocket<T>(folder: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= longestSocket) return use(path)
  const shortcut = await mkdtemp(join(tmpdir(), 'plinth-'))
  try {
    await symlink(resolve(folder), join(shortcut, 'to'))
    return await use(join(shortcut, 'to', name))
  } finally {
    await rm(shortcut, { recursive: true, force: true })
  }
}

/** A socket that marks a live process; `undefined` if none can be opened. */
const listenIn = async (folder: string): Promise<Server | undefined> =>
  atSocket(
    folder,
    await socketName(),
    (path) =>
      new Promise<Server>((listening, failed) => {
        const server = createServer((socket) => socket.destroy())
        server.once('error', failed)
        // Exclusive: the workers of a cluster would else hand it to their primary, which outlives them.
        server.listen({ path, exclusive: true }, () => listening(server))
        server.unref()
      }),
  ).catch(() => undefined)

/** What a socket says of its process: it answers, or refuses. */
const askSocket = (path: string): Promise<'alive' | 'gone' | 'unknown'> =>
  new Promise((known) => {
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      known('alive')
    })
    socket.once('error', (error) =>
      known('code' in error && error.code === 'ECONNREFUSED' ? 'gone' : 'unknown'),
    )
  })

async function lifeIn(folder: string): Promise<'alive' | 'gone' | 'unknown'> {
  try {
    const sockets = (await readdir(folder)).filter((name) => name.startsWith(alive))
    const [own, end] = [await machine(), `-${await run()}`]
    // Also that of another container of this machine, or made before the host was renamed.
    const here = sockets.find((name) => name.endsWith(end))
    if (here !== undefined) return await atSocket(folder, here, askSocket)
    // This machine made it before it was restarted.
    const isEarlier = sockets.length > 0 && sockets.every((name) => name.startsWith(`${alive}${own}-`))
    return isEarlier ? 'gone' : 'unknown'
  } catch {
    // It may have been removed meanwhile.
    return 'unknown'
  }
}
