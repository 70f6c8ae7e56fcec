import { constants, existsSync, readdirSync } from 'node:fs'
import { access, chmod, open, stat } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { directoryBlobs } from '../../http/node/index.ts'
import { systemEnv, systemTimers } from '../../kernel/index.ts'
import { makeDirectory } from '../../store/blobs/make-directory.ts'
import { makeWorkFolder, sweepWorkFolders, type WorkFolder } from '../../store/blobs/work-folder.ts'
import { type Blobs, isStoreError, memoryStore, type Store } from '../../store/index.ts'
import { whyNot } from '../file-text.ts'
import { UserError } from '../user-error.ts'
import { recordedPlace, recordPlace } from './blobs-place.ts'
import { isBucket, openBucket } from './bucket.ts'
import { readEtcdPlace } from './etcd-data.ts'
import type { Log } from './log.ts'
import { peer } from './peer.ts'
import { durablePlaces, etcdPrefix, sqlitePrefix } from './places.ts'

/** The storage for `--data` and `--blobs`: one realm per service, and blobs. */
export interface Data {
  /** Opens the realm of a service. */
  readonly store: (realm: string) => Promise<Store>
  readonly blobs: Blobs
  /** The blobs of module archives, in a separate folder, because each service sweeps its own. */
  readonly archives: Blobs
  /** Where the blobs are: a directory, with that of the archives below it, or the URL of a bucket. */
  readonly blobsAt: string
  /** Records that place, so that it is found from elsewhere: for a start or a restore that succeeds. */
  readonly recordBlobs: () => Promise<void>
  /** Opens the realm of what a server and a restore keep about the data. */
  readonly own: () => Promise<Store>
  /** Whether other servers may be using the same data. From the first call on, other servers see this one. */
  readonly isShared: () => Promise<boolean>
  /** Whether a server uses the data: then nothing is restored into it. */
  readonly isServed: () => Promise<boolean>
  /** The file of the keys in dev mode; `undefined` if no data survives the process. */
  readonly devKeys: string | undefined
  /** Whether data survives the process. */
  readonly durable: boolean
  /** The realms that do not respond. */
  readonly unreachable: () => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

/** The directory of the archives of modules, below that of the blobs. */
export const archivesIn = (blobsFolder: string): string => join(blobsFolder, 'modules')

/** The flags about data. */
export interface DataFlags {
  readonly data: string | undefined
  readonly blobs: string | undefined
  readonly devKeys: string | undefined
}

/** What opens the data: only servers count as such for a restore. */
type Opener = 'server' | 'command'

/**
 * Refuses a place that cannot hold data, without creating anything there: before {@link openData}, and before a start looks
 * at its ports.
 *
 * @throws UserError if the place is of another kind or below a file, or may not be written
 */
export async function checkDataPlace(where = 'memory'): Promise<void> {
  if (where.startsWith(etcdPrefix)) return void (await readEtcdPlace(where))
  if (['memory', '', sqlitePrefix].includes(where) || /^[a-z][a-z0-9+.-]*:\/\//i.test(where)) return
  const isFile = where.startsWith(sqlitePrefix)
  const place = resolve(isFile ? where.slice(sqlitePrefix.length) : where)
  const fail = (why: string) => new UserError(`cannot use ${place} for data: ${why}`)
  const found = await stat(place).catch(() => undefined)
  if (isFile && found?.isDirectory()) throw fail('it is a directory; name a file')
  if (!isFile && found?.isFile()) throw fail('it is not a directory')
  let existing = place
  while (!existsSync(existing) && existing !== dirname(existing)) existing = dirname(existing)
  try {
    if (existing !== place && !(await stat(existing)).isDirectory())
      throw fail(`${existing} is not a directory`)
    await access(existing, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw error instanceof UserError ? error : fail(whyNot(error))
  }
  if (isFile ? found !== undefined : existsSync(fileOf(place)))
    await checkIsSqlite(isFile ? place : fileOf(place))
}

/** Reads the first bytes by a descriptor of its own: no connection of this process may be open yet. */
async function checkIsSqlite(file: string): Promise<void> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(16), position: 0 })
    if (bytesRead > 0 && buffer.toString('latin1') !== 'SQLite format 3\0')
      throw new UserError(`cannot use ${file} for data: it is another kind of file, not a SQLite database`)
  } finally {
    await handle.close()
  }
}

/**
 * Opens the store for `--data`: `memory`, a directory (in its file `plinth.db`), `sqlite:FILE`, `postgres://…` or
 * `etcd://…`; a place that {@link checkDataPlace} accepts.
 */
export async function openData(flags: DataFlags, log: Log, opener: Opener = 'command'): Promise<Data> {
  const { data: where = 'memory' } = flags
  // Secrets are encrypted, but password hashes, uploads and keys are private as well.
  process.umask(0o077)
  try {
    if (where === 'memory') return await inMemory()
    if (/^postgres(?:ql)?:\/\//.test(where)) return await inPostgres(where, flags, log, opener)
    if (where.startsWith(etcdPrefix)) return await inEtcd(where, flags, log, opener)
    if (where.startsWith(sqlitePrefix) && !where.startsWith(`${sqlitePrefix}//`))
      return await inSqlite(where.slice(sqlitePrefix.length), flags)
    if (where === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(where))
      throw new UserError(
        `--data takes memory, ${durablePlaces}, not "${where.replace(/\/\/.*@/, '//…@')}"`,
        2,
      )
    return await inDirectory(resolve(where), flags, log)
  } catch (error) {
    if (isStoreError(error)) throw new UserError(error.message)
    throw error
  }
}

/** Uploads can be large, so they go to disk even without a directory, to a folder that is removed at the end. */
async function inMemory(): Promise<Data> {
  // A killed server leaves its folder behind.
  await sweepWorkFolders(tmpdir(), 'plinth-blobs-')
  const folder = await makeWorkFolder(join(tmpdir(), 'plinth-blobs-'))
  return {
    store: async () => memoryStore(),
    unreachable: async () => [],
    ...(await blobsIn(folder.path)),
    own: async () => memoryStore(),
    isShared: async () => false,
    isServed: async () => false,
    devKeys: undefined,
    durable: false,
    close: folder.remove,
  }
}

async function inDirectory(folder: string, flags: DataFlags, log: Log): Promise<Data> {
  try {
    await makeDirectory(folder)
  } catch (error) {
    const isFile = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new UserError(`cannot use ${folder} for data: ${isFile ? 'it is not a directory' : whyNot(error)}`)
  }
  if (process.getuid !== undefined && ((await stat(folder)).mode & 0o077) !== 0)
    log.warn(`other users may enter ${folder}, which is private: chmod 700 it`)
  return inFile(fileOf(folder), join(folder, '/'), flags)
}

function inSqlite(name: string, flags: DataFlags): Promise<Data> {
  if (name === '')
    throw new UserError('--data sqlite: lacks its file, as in --data sqlite:./plinth.sqlite', 2)
  const file = resolve(name)
  return inFile(file, `${file}-`, flags)
}

/**
 * The SQLite file of `--data DIRECTORY` or `--data sqlite:FILE`.
 *
 * @throws UserError if the directory holds the files of versions that kept them with lmdb
 */
export function fileOf(where: string): string {
  if (where.startsWith(sqlitePrefix)) return resolve(where.slice(sqlitePrefix.length))
  const folder = resolve(where)
  if (existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.lmdb')))
    throw new UserError(
      `${folder} holds the lmdb files of an earlier version: run plinth backup with that version, and plinth restore into a new directory with this one`,
    )
  return join(folder, 'plinth.db')
}

/** @param beside - what the paths beside the file begin with: those of blobs, of keys, and of servers */
async function inFile(file: string, beside: string, { blobs, devKeys }: DataFlags): Promise<Data> {
  const { sqliteStore } = await import('../../store/sqlite/index.ts')
  // By path: closing a descriptor of the file would drop the locks of this process on it.
  for (const end of ['', '-wal', '-shm']) await chmod(`${file}${end}`, 0o600).catch(() => {})
  const stores = openStores((realm) => sqliteStore(file, { realm }))
  const others = otherServers(`${beside}server-`)
  return {
    store: stores.open,
    ...(await blobsIn(blobs ?? `${beside}blobs`)),
    own: () => sqliteStore(file, { realm: ownRealm }),
    isShared: others.join,
    isServed: others.areThere,
    devKeys: devKeys ?? `${beside}dev-keys.json`,
    durable: true,
    unreachable: stores.unreachable,
    close: async () => {
      await stores.close()
      await others.forget()
    },
  }
}

/** The servers that use the same data: each keeps a folder of that prefix, which shows that it lives. */
function otherServers(prefix: string) {
  let own: Promise<WorkFolder> | undefined
  const areThere = async () => {
    // A full disk stops no start.
    const path = await own?.then((folder) => folder.path).catch(() => undefined)
    return (await sweepWorkFolders(dirname(prefix), basename(prefix))).some((each) => each !== path)
  }
  return {
    areThere,
    /** From then on, others see this process. */
    join: () => {
      own ??= makeWorkFolder(prefix)
      return areThere()
    },
    forget: async () => {
      await own?.then(({ remove }) => remove()).catch(() => {})
    },
  }
}

async function inPostgres(
  url: string,
  { blobs, devKeys }: DataFlags,
  log: Log,
  opener: Opener,
): Promise<Data> {
  const { postgresJsSettings, postgresStore } = await import('../../store/postgres/index.ts')
  const { default: postgres } = await peer('--data postgres://…', 'postgres@3', () => import('postgres'))
  const kind = opener === 'server' ? 'plinth' : 'plinth-command'
  const name = `${kind} ${hostname().slice(0, 30)} ${process.pid} ${systemEnv().newId('process').slice(0, 8)}`
  const client = postgres(url, {
    max: 8,
    onnotice: () => {},
    ...postgresJsSettings(),
    connection: { application_name: name },
  })
  const onWarning = warningOnce(log)
  const stores = openStores((realm) => postgresStore(client, { realm, onWarning }))
  return amongServers({
    stores,
    own: () => postgresStore(client, { realm: ownRealm, notify: false }),
    isServed: async () => {
      const others = await client`select from pg_stat_activity
        where datname = current_database() and application_name like 'plinth %' and application_name <> ${name}`
      return others.length > 0
    },
    close: () => client.end({ timeout: 5 }),
    blobs,
    devKeys,
  })
}

async function inEtcd(where: string, { blobs, devKeys }: DataFlags, log: Log, opener: Opener): Promise<Data> {
  const { etcdStore } = await import('../../store/etcd/index.ts')
  const { etcdPresence } = await import('./etcd-presence.ts')
  const { endpoints, options } = await readEtcdPlace(where)
  const onWarning = warningOnce(log)
  const stores = openStores((realm) => etcdStore(endpoints, { ...options, realm, onWarning }))
  const servers = etcdPresence(endpoints, options)
  const data = await amongServers({
    stores,
    own: () => etcdStore(endpoints, { ...options, realm: ownRealm, onWarning }),
    isServed: servers.areOthers,
    close: servers.leave,
    blobs,
    devKeys,
  })
  if (opener === 'server') await servers.join()
  return data
}

/** Warnings come with each realm. */
function warningOnce(log: Log): (message: string) => void {
  const warned = new Set<string>()
  return (message) => {
    if (!warned.has(message)) log.warn(message)
    warned.add(message)
  }
}

/** Data that servers of several machines use. */
async function amongServers({
  stores,
  own,
  isServed,
  close,
  blobs,
  devKeys,
}: {
  readonly stores: ReturnType<typeof openStores>
  readonly own: () => Promise<Store>
  readonly isServed: () => Promise<boolean>
  /** Called once the stores are closed. */
  readonly close: () => Promise<void>
  readonly blobs: string | undefined
  readonly devKeys: string | undefined
}): Promise<Data> {
  const end = async () => {
    await stores.close()
    await close()
  }
  try {
    // Every server must see the same uploads, which are too large for the database.
    const chosen = blobs ?? process.env['PLINTH_BLOBS']
    const at = chosen ?? (await within(own, recordedPlace)) ?? join('.plinth', 'blobs')
    const opened = await blobsIn(isBucket(at) ? at : resolve(at))
    return {
      store: stores.open,
      ...opened,
      recordBlobs: () => within(own, (store) => recordPlace(store, opened.blobsAt, chosen !== undefined)),
      own,
      isShared: async () => true,
      isServed,
      devKeys,
      durable: true,
      unreachable: stores.unreachable,
      close: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** The realm of what a server and a restore keep about the data, beside those of the services. */
const ownRealm = 'server'

/** Runs `work` on a store that is open for that long. */
export async function within<T>(open: () => Promise<Store>, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await open()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The realms that a server has opened. */
function openStores(openRealm: (realm: string) => Promise<Store>) {
  const opened = new Map<string, Store>()
  return {
    open: async (realm: string) => {
      const store = await openRealm(realm)
      opened.set(realm, store)
      return store
    },
    unreachable: () => unreachableOf(opened),
    close: async () => {
      for (const store of opened.values()) await store.close()
    },
  }
}

async function blobsIn(where: string): Promise<Pick<Data, 'blobs' | 'archives' | 'blobsAt' | 'recordBlobs'>> {
  const common = { blobsAt: where, recordBlobs: () => Promise.resolve() }
  if (isBucket(where)) return { ...(await openBucket(where)), ...common }
  return { blobs: await directoryBlobs(where), archives: await directoryBlobs(archivesIn(where)), ...common }
}

/** How long a store may take to return its head. */
const answersWithinMs = 3000

async function unreachableOf(stores: ReadonlyMap<string, Store>): Promise<readonly string[]> {
  const names = await Promise.all(
    [...stores].map(async ([name, store]) => {
      const late = new Promise<false>((resolve) => {
        systemTimers.after(answersWithinMs, () => resolve(false))
      })
      const answered = store.head().then(
        () => true,
        () => false,
      )
      return (await Promise.race([answered, late])) ? [] : [name]
    }),
  )
  return names.flat()
}
