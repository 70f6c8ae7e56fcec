import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { RootDatabase } from 'lmdb'
import { makeDirectory } from '../blobs/make-directory.ts'
import { syncPath } from '../blobs/sync-path.ts'
import { makeWorkFolder, sweepWorkFolders } from '../blobs/work-folder.ts'

/**
 * Copies a realm to a file, which is replaced once the copy is on disk. Each copy grows in a folder of its own beside
 * the file: two at once would write over one another.
 */
export async function backUp(root: RootDatabase<Buffer, Buffer>, file: string): Promise<void> {
  const folder = dirname(file)
  await makeDirectory(folder)
  const prefix = `${basename(file)}.unfinished-`
  await sweepWorkFolders(folder, prefix)
  const work = await makeWorkFolder(join(folder, prefix))
  try {
    const copy = join(work.path, 'copy')
    await root.backup(copy, true)
    // The engine leaves the copy to the system, which may write its new name first.
    await syncPath(copy)
    await rename(copy, file)
    await syncPath(folder)
  } finally {
    await work.remove()
  }
}
