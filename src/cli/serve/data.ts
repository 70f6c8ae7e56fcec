import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { directoryBlobs } from '../../http/node/index.ts'
import { makeDirectory } from '../../store/blobs/make-directory.ts'
import { makeWorkFolder, sweepWorkFolders } from '../../store/blobs/work-folder.ts'
import { type Blobs, isStoreError, memoryStore, type Store } from '../../store/index.ts'
import { whyNot } from '../file-text.ts'
import { UserError } from '../user-error.ts'
import { surviveTypeQueries } from './client-faults.ts'

/** Where `--data` keeps things: one realm per service, blobs beside them. */
export interface Data {
  /** Opens the realm of a service. */
  readonly store: (realm: string) => Promise<Store>
  readonly blobs: Blobs
  /** The directory that the blobs are in. */
  readonly blobsFolder: string
  /** Where dev mode keeps its keys; `undefined` when nothing outlives the process. */
  readonly devKeys: string | undefined
  /** Whether anything outlives the process. */
  readonly durable: boolean
  readonly close: () => Promise<void>
}

/** What the command line says about data. */
export interface DataFlags {
  readonly data: string | undefined
  readonly blobs: string | undefined
  readonly devKeys: string | undefined
}

/** Opens what `--data` names: `memory`, a directory, or `postgres://…`. */
export async function openData(flags: DataFlags, log: (line: string) => void): Promise<Data> {
  const { data: where = 'memory' } = flags
  try {
    if (where === 'memory') return await inMemory()
    if (/^postgres(?:ql)?:\/\//.test(where)) return await inPostgres(where, flags, log)
    if (where === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(where))
      throw new UserError(
        `--data takes memory, a directory or postgres://…, not "${where.replace(/\/\/.*@/, '//…@')}"`,
        2,
      )
    return await inDirectory(resolve(where), flags)
  } catch (error) {
    if (isStoreError(error)) throw new UserError(error.message)
    throw error
  }
}

/** Uploads may be large, so even without a directory they go to disk, to a folder that is removed at the end. */
async function inMemory(): Promise<Data> {
  // A server that was killed could not take its own away.
  await sweepWorkFolders(tmpdir(), 'plinth-blobs-')
  const folder = await makeWorkFolder(join(tmpdir(), 'plinth-blobs-'))
  return {
    store: async () => memoryStore(),
    blobs: await directoryBlobs(folder.path),
    blobsFolder: folder.path,
    devKeys: undefined,
    durable: false,
    close: folder.remove,
  }
}

async function inDirectory(folder: string, { blobs, devKeys }: DataFlags): Promise<Data> {
  const { lmdbStore } = await peer('lmdb', () => import('../../store/lmdb/index.ts'))
  try {
    // Secrets are encrypted, but password hashes and the shape of everything are nobody else's business either.
    await makeDirectory(folder, 0o700)
  } catch (error) {
    const isFile = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new UserError(`cannot use ${folder} for data: ${isFile ? 'it is not a directory' : whyNot(error)}`)
  }
  const blobsFolder = blobs ?? join(folder, 'blobs')
  const open: Store[] = []
  return {
    store: async (realm) => {
      const store = await lmdbStore(folder, { realm })
      open.push(store)
      return store
    },
    blobs: await directoryBlobs(blobsFolder),
    blobsFolder,
    devKeys: devKeys ?? join(folder, 'dev-keys.json'),
    durable: true,
    close: async () => {
      for (const store of open) await store.close()
    },
  }
}

async function inPostgres(
  url: string,
  { blobs, devKeys }: DataFlags,
  log: (line: string) => void,
): Promise<Data> {
  const { postgresStore } = await import('../../store/postgres/index.ts')
  const { default: postgres } = await peer('postgres', () => import('postgres'))
  // Every server must see the same uploads; the database is no place for gigabytes.
  const blobsFolder = blobs ?? process.env['PLINTH_BLOBS'] ?? join(process.cwd(), '.plinth', 'blobs')
  const forget = surviveTypeQueries(log)
  // The client's own pause between attempts grows to 20 s, which would hide that a database is back.
  const client = postgres(url, { max: 8, onnotice: () => {}, backoff: () => 0.2 })
  const open: Store[] = []
  const warned = new Set<string>()
  return {
    store: async (realm) => {
      const onWarning = (message: string) => {
        if (!warned.has(message)) log(`warning: ${message}`)
        warned.add(message)
      }
      const store = await postgresStore(client, { realm, onWarning })
      open.push(store)
      return store
    },
    blobs: await directoryBlobs(blobsFolder),
    blobsFolder,
    devKeys,
    durable: true,
    close: async () => {
      for (const store of open) await store.close()
      await client.end({ timeout: 5 })
      forget()
    },
  }
}

/** Loads a module that needs an optional peer; says how to get it where it is missing. */
async function peer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw new UserError(`this needs the package "${name}": run npm install ${name}`)
    throw error
  }
}
