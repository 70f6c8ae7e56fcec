import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeDirectory } from './make-directory.ts'
import { syncPath } from './sync-path.ts'
import { makeWorkFolder, sweepWorkFolders } from './work-folder.ts'

/**
 * Moves a file or folder into place once it is complete and on disk, so that an interrupted one is never visible. Each
 * is built in its own folder beside the target, because concurrent writers would overwrite each other.
 *
 * @param make - creates it at the given path
 */
export async function writeAtomically(
  path: string,
  make: (unfinished: string) => Promise<void>,
): Promise<void> {
  const parent = dirname(path)
  await makeDirectory(parent)
  const prefix = `${basename(path)}.unfinished-`
  await sweepWorkFolders(parent, prefix)
  const work = await makeWorkFolder(join(parent, prefix))
  try {
    const unfinished = join(work.path, 'copy')
    await make(unfinished)
    // Without this sync, the new name could be on disk before the contents.
    await syncPath(unfinished)
    await rename(unfinished, path)
    await syncPath(parent)
  } finally {
    await work.remove()
  }
}
