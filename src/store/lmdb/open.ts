import { dirname } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import { makeDirectory } from '../blobs/make-directory.ts'
import { StoreError } from '../port/errors.ts'
import { causeOf, explain } from './errors.ts'
import { checkFile } from './file.ts'
import * as layout from './layout.ts'
import { isOnNewest, untilNewest } from './newest-transaction.ts'

const formatKey = Buffer.from('plinth format')

/** Opens the file and makes sure that it is one of ours. */
export async function openFile(path: string) {
  let root: RootDatabase<Buffer, Buffer> | undefined
  try {
    await makeDirectory(dirname(path))
    await checkFile(path)
    return await untilNewest(path, async () => {
      root = open<Buffer, Buffer>({
        path,
        noSubdir: true,
        maxDbs: 8,
        // Acknowledge a commit once it is on disk, not merely visible.
        overlappingSync: false,
        // Commits are gathered here; the engine's own gathering leaves a promise that nobody hears when the disk is full.
        eventTurnBatching: false,
        encoding: 'binary',
        keyEncoding: 'binary',
      })
      const tables = tablesOf(root, path)
      if (tables !== undefined) return tables
      await root.close()
      // Closed once is enough, should there be no other try.
      root = undefined
      return undefined
    })
  } catch (error) {
    await root?.close()
    throw explain(await causeOf(error), path, 'corrupt')
  }
}

/** The tables, made if need be; nothing if the transaction did not begin on the newest state. */
function tablesOf(root: RootDatabase<Buffer, Buffer>, path: string) {
  const table = (name: string): layout.Table =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
  return root.transactionSync(() => {
    if (!isOnNewest(root)) return undefined
    const known = [...root.getKeys()].map((key) => key.toString('utf8').replace(/\0$/, ''))
    if (known.length > 0 && !known.includes('meta'))
      throw new StoreError('foreign', `${path} is an LMDB file of another program: choose another directory`)
    const meta = table('meta')
    const written = meta.get(formatKey)
    if (written === undefined) meta.putSync(formatKey, layout.revKey(layout.format))
    else if (layout.revOf(written) !== layout.format)
      throw new StoreError(
        'wrong_schema',
        `${path} has format ${layout.revOf(written)}; this version of plinth reads format ${layout.format}`,
      )
    return {
      root,
      meta,
      entries: table('entries'),
      log: table('log'),
      ids: table('ids'),
      refusals: table('refusals'),
    }
  })
}
