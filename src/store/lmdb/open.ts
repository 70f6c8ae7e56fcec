import { dirname } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import { makeDirectory } from '../blobs/make-directory.ts'
import { StoreError } from '../errors.ts'
import { causeOf, explain } from './errors.ts'
import { checkFile } from './file.ts'
import * as layout from './layout.ts'

const formatKey = Buffer.from('plinth format')

/** Opens the file and makes sure that it is one of ours. */
export async function openFile(path: string) {
  let root: RootDatabase<Buffer, Buffer> | undefined
  try {
    await makeDirectory(dirname(path))
    await checkFile(path)
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
    const table = (db: RootDatabase<Buffer, Buffer>, name: string): layout.Table =>
      db.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
    const known = [...root.getKeys()].map((key) => key.toString('utf8').replace(/\0$/, ''))
    if (known.length > 0 && !known.includes('meta'))
      throw new StoreError('foreign', `${path} is an LMDB file of another program: choose another directory`)
    const meta = table(root, 'meta')
    const written = meta.get(formatKey)
    if (written === undefined) await meta.put(formatKey, layout.revKey(layout.format))
    else if (layout.revOf(written) !== layout.format)
      throw new StoreError(
        'wrong_schema',
        `${path} has format ${layout.revOf(written)}; this version of plinth reads format ${layout.format}`,
      )
    return {
      root,
      meta,
      entries: table(root, 'entries'),
      log: table(root, 'log'),
      ids: table(root, 'ids'),
      refusals: table(root, 'refusals'),
    }
  } catch (error) {
    await root?.close()
    throw explain(await causeOf(error), path, 'corrupt')
  }
}
