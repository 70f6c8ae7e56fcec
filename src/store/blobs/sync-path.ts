import { open } from 'node:fs/promises'

/** Waits until a file is on disk; of a directory, the names in it: a rename or removal lasts only then. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
