import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeDirectory } from './make-directory.ts'
import { syncPath } from './sync-path.ts'
import { makeWorkFolder, sweepWorkFolders } from './work-folder.ts'

/**
 * Puts a file, or a folder, in its place once it is whole and on disk: what is broken off is not taken for one. Each
 * grows in a folder of its own beside the place, for two at once would write over one another.
 *
 * @param make - makes it at the path that it is given
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
    // Left to the system, its new name could be on disk before what it names.
    await syncPath(unfinished)
    await rename(unfinished, path)
    await syncPath(parent)
  } finally {
    await work.remove()
  }
}
