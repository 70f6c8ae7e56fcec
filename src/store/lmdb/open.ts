import { dirname } from 'node:path'
import type { RootDatabase } from 'lmdb'
import { makeDirectory } from '../blobs/make-directory.ts'
import { StoreError } from '../port/errors.ts'
import { causeOf, explain } from './errors.ts'
import { checkFile } from './file.ts'
import * as layout from './layout.ts'
import { isOnNewest, untilNewest } from './newest-transaction.ts'
import { findPageFault } from './pages.ts'
import { lmdb } from './peer.ts'

const formatKey = Buffer.from('plinth format')
const uncheckedKey = Buffer.from('unchecked')

/** Opens the file and verifies that it is one of ours. */
export async function openFile(path: string) {
  let root: RootDatabase<Buffer, Buffer> | undefined
  try {
    await makeDirectory(dirname(path))
    await checkFile(path)
    return await untilNewest(path, async () => {
      root = lmdb.open<Buffer, Buffer>({
        path,
        noSubdir: true,
        maxDbs: 8,
        // A commit is acknowledged once it is on disk, not merely visible.
        overlappingSync: false,
        // Commits are batched here; the engine's own batching leaves an unhandled promise when the disk is full.
        eventTurnBatching: false,
        encoding: 'binary',
        keyEncoding: 'binary',
      })
      if (!isUsedElsewhere(root)) await insistWhole(root, path)
      const tables = tablesOf(root, path)
      if (tables !== undefined) return tables
      await root.close()
      // Ignored: the file is closed.
      root = undefined
      return undefined
    })
  } catch (error) {
    await root?.close()
    throw explain(await causeOf(error), path, 'corrupt')
  }
}

/** Whether another live process has the file open; the first process to open a file checks its pages. */
function isUsedElsewhere(root: RootDatabase<Buffer, Buffer>): boolean {
  root.readerCheck()
  const pids = [...root.readerList().matchAll(/^\s*(\d+) /gm)].map(([, pid]) => Number(pid))
  return pids.some((pid) => pid !== process.pid)
}

/** Checks the pages before the engine reads them: a damaged page would end the process, or lose data silently. */
async function insistWhole(root: RootDatabase<Buffer, Buffer>, path: string): Promise<void> {
  const held = root.useReadTransaction()
  try {
    const fault = await findPageFault(path)
    if (fault !== undefined)
      throw new StoreError('corrupt', `${path} is damaged (${fault}): restore a backup`)
  } finally {
    held.done()
  }
}

/** The tables, created if necessary; undefined if the transaction did not begin on the newest state. */
function tablesOf(root: RootDatabase<Buffer, Buffer>, path: string) {
  const table = (name: string): layout.Table =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
  return root.transactionSync(() => {
    if (!isOnNewest(root)) return undefined
    const known = [...root.getKeys()].map((key) => key.toString('utf8').replace(/\0$/, ''))
    if (known.length > 0 && !known.includes('meta'))
      throw new StoreError('foreign', `${path} is an LMDB file of another program: choose another directory`)
    const meta = table('meta')
    const log = table('log')
    const written = meta.get(formatKey)
    const writtenFormat = written === undefined ? layout.format : layout.revOf(written)
    if (written === undefined) meta.putSync(formatKey, layout.revKey(layout.format))
    else if (writtenFormat === 1) upgrade(meta, log)
    else if (writtenFormat !== layout.format)
      throw new StoreError(
        'wrong_schema',
        `${path} has format ${writtenFormat}; this version of plinth reads formats 1 and ${layout.format}`,
      )
    const unchecked = meta.get(uncheckedKey)
    return {
      root,
      meta,
      entries: table('entries'),
      log,
      ids: table('ids'),
      refusals: table('refusals'),
      /** The revision up to which entries and commits may lack a checksum: those that format 1 wrote. */
      unchecked: unchecked === undefined ? 0 : layout.revOf(unchecked),
    }
  })
}

/**
 * Upgrades a file of format 1: its head and floor move into the log, with checksums. Entries without one stay readable
 * up to the present head. The log also contains the ids of accepted commits.
 */
function upgrade(meta: layout.Table, log: layout.Table): void {
  const oldHead = meta.get(Buffer.from('head'))
  const oldFloor = meta.get(Buffer.from('floor'))
  if (oldFloor !== undefined)
    log.putSync(layout.floorKey, layout.numberBytes(layout.floorKey, layout.revOf(oldFloor)))
  if (oldHead !== undefined) {
    const isRevision = oldHead.length === 8
    log.putSync(
      layout.headKey,
      isRevision ? layout.numberBytes(layout.headKey, layout.revOf(oldHead)) : oldHead,
    )
    // An interrupted import leaves entries of any revision; the next import deletes them.
    meta.putSync(uncheckedKey, layout.revKey(isRevision ? layout.revOf(oldHead) : 0))
  }
  meta.putSync(formatKey, layout.revKey(layout.format))
}
