import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../port/errors.ts'
import { type Connection, closeAll, connect, connection, whenFree } from './connection.ts'
import type { SqliteDatabase, SqliteDriver } from './driver.ts'
import { type Identity, identityOf, rememberIdentity } from './identity.ts'
import { makeFile, prepare, upgrade } from './schema.ts'
import { beginRead, beginReading, inTransaction } from './transaction.ts'

/**
 * How many idle connections for reads are kept open: as many as callers usually read at once. To close one more, libsql
 * needs a garbage collection, which takes a second in a large process.
 */
const idleConnections = 64

/** A write that shares a transaction, and with it a sync, with others of its turn. */
export interface Job {
  /** Writes; may run again after a transaction that failed. Returns what follows the commit. */
  run(on: Connection): () => void
  /** The transaction was rolled back. */
  undone(): void
  readonly reject: (error: unknown) => void
}

/** A file that is open in this process: one set of connections for all of its realms. */
export interface SharedFile {
  readonly driver: SqliteDriver
  /** Throws if the file is not the one at its path any more. */
  readonly identity: Identity
  /** Reads the newest state in this turn of the event loop. */
  look<T>(fn: (on: Connection) => T): T
  submit(job: Job): void
  /** Runs `fn` on a connection that stays on one snapshot, however long it takes. */
  reading<T>(fn: (on: Connection) => T | Promise<T>): Promise<T>
  /** Runs `fn` on the connection for writes, between transactions. */
  withWriter<T>(fn: (on: Connection) => T): T
  /** Ends the use by one realm; the last one closes the connections. */
  release(): Promise<void>
}

interface Shared {
  readonly opening: Promise<Omit<SharedFile, 'release'> & { close(): Promise<void> }>
  users: number
}

/**
 * The files that are open in this process, by identity. A process must not have two sets of connections of different
 * drivers, nor open the file in any other way: closing one descriptor of a file drops all locks of the process on it.
 */
const shared = new Map<string, Shared>()

/** Opens a file, or joins those who have it open: the driver is then theirs. */
export async function shareFile(path: string, driver: SqliteDriver): Promise<SharedFile> {
  await makeFile(path)
  const key = identityOf(path) ?? ''
  const found: Shared = shared.get(key) ?? { opening: openFile(path, key, driver), users: 0 }
  shared.set(key, found)
  found.users += 1
  let file: Awaited<Shared['opening']>
  const leave = () => {
    found.users -= 1
    if (found.users > 0) return false
    if (shared.get(key) === found) shared.delete(key)
    return true
  }
  try {
    file = await found.opening
  } catch (error) {
    leave()
    throw error
  }
  const { close, ...rest } = file
  return {
    ...rest,
    release: async () => {
      if (leave()) await close()
    },
  }
}

/**
 * For how long, in milliseconds, after an attempt to write that another process blocked the writer lets others go
 * first.
 */
const yieldingMs = 250

/**
 * Connections to files that were moved or replaced. They stay open, because the last one to close unlinks the log by
 * its path, which may be another's by then.
 */
const abandoned: Connection[] = []

async function openFile(
  path: string,
  key: string,
  driver: SqliteDriver,
): Promise<Awaited<Shared['opening']>> {
  const open = (prepareFile: boolean) => openConnection(driver, path, prepareFile)
  const idle: Connection[] = []
  let writer: Connection | undefined = await open(true)
  let identity: Identity
  try {
    // A read opens the log.
    await whenFree(path, () => look(() => undefined))
    identity = rememberIdentity(path)
    if (identityOf(path) !== key)
      throw new StoreError('locked', `${path} was replaced while it was opened: try again`)
  } catch (error) {
    writer.database.close()
    throw error
  }

  function withWriter<T>(fn: (on: Connection) => T): T {
    if (writer === undefined) throw new StoreError('closed', 'the store was closed')
    return fn(writer)
  }
  function look<T>(fn: (on: Connection) => T): T {
    return withWriter((on) => inTransaction(on.database, beginRead, () => fn(on)))
  }
  const closeThese = async (connections: Connection[]) => {
    if (identity.isLost()) abandoned.push(...connections.splice(0))
    else await closeAll(connections)
  }

  const surplus: Connection[] = []
  let isClosing = false
  /** Closes connections together that become surplus while others are being closed. */
  const closeSurplus = async (one: Connection) => {
    surplus.push(one)
    if (isClosing) return
    isClosing = true
    while (surplus.length > 0) await closeThese(surplus)
    isClosing = false
  }

  const submit = writeQueue(path, (fn) => {
    identity.check()
    return withWriter((on) => inTransaction(on.database, 'begin immediate', () => fn(on)))
  })

  return {
    driver,
    identity,
    look,
    withWriter,
    submit,
    reading: async (fn) => {
      identity.check()
      const used = idle.pop() ?? (await open(false))
      try {
        return await readOn(path, used, fn)
      } finally {
        if (writer !== undefined && idle.length < idleConnections) idle.push(used)
        else void closeSurplus(used)
      }
    },
    close: async () => {
      const connections = idle.splice(0)
      if (writer !== undefined) connections.push(writer)
      writer = undefined
      await closeThese(connections)
    },
  }
}

/** Opens a connection. One that was blocked while it opened is closed: a statement that failed may still read. */
async function openConnection(driver: SqliteDriver, path: string, prepareFile: boolean): Promise<Connection> {
  const { database, isEarlier } = await whenFree(path, () => {
    const opened = connect(driver, path)
    return closedIfFailed(opened, () => ({
      database: opened,
      isEarlier: prepareFile && prepare(opened, path),
    }))
  })
  // Not on a connection per attempt: libsql keeps closed ones open, and each is in the way of the next.
  if (isEarlier)
    await whenFree(path, () => upgrade(database, path)).catch((error: unknown) => {
      database.close()
      throw error
    })
  return closedIfFailed(database, () => connection(database))
}

function closedIfFailed<T>(database: SqliteDatabase, work: () => T): T {
  try {
    return work()
  } catch (error) {
    database.close()
    throw error
  }
}

/** Runs `fn` on a connection that stays on one snapshot. */
async function readOn<T>(path: string, on: Connection, fn: (on: Connection) => T | Promise<T>): Promise<T> {
  await whenFree(path, () => beginReading(on.database))
  try {
    return await fn(on)
  } finally {
    on.database.exec('commit')
  }
}

/** Runs jobs in order, those that wait together in one transaction. */
function writeQueue(path: string, inWriting: <T>(fn: (on: Connection) => T) => T): (job: Job) => void {
  let queue: Job[] = []
  let isWriting = false
  let yieldsUntil = 0
  const blocked = () => {
    yieldsUntil = performance.now() + yieldingMs
  }
  /** Runs jobs in one transaction, which are asked for once it has begun. */
  const transaction = (take: () => readonly Job[]): readonly (() => void)[] => {
    let jobs: readonly Job[] = []
    try {
      return inWriting((on) => {
        jobs = take()
        return jobs.map((job) => job.run(on))
      })
    } catch (error) {
      for (const job of jobs) job.undone()
      throw error
    }
  }
  const write = async (take: () => readonly Job[]): Promise<void> => {
    for (const end of await whenFree(path, () => transaction(take), blocked)) end()
  }
  const writeAll = async () => {
    while (queue.length > 0) {
      // A process that begins again at once would leave others that wait no chance.
      await (performance.now() < yieldsUntil ? sleep(1) : nextTurn())
      let jobs: readonly Job[] = []
      const takeAll = () => {
        jobs = jobs.concat(queue)
        queue = []
        return jobs
      }
      try {
        await write(takeAll)
      } catch (error) {
        // If one of several failed, the others must not.
        if (jobs.length > 1) for (const job of jobs) await write(() => [job]).catch(job.reject)
        else for (const job of jobs.length === 1 ? jobs : takeAll()) job.reject(error)
      }
    }
    isWriting = false
  }

  return (job) => {
    queue.push(job)
    if (isWriting) return
    isWriting = true
    void writeAll()
  }
}
