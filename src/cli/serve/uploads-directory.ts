import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemEnv } from '../../kernel/index.ts'
import { UserError } from '../user-error.ts'

/** An empty directory in that of the uploads, with a random name: another one at the same path lacks it. */
const markerPrefix = 'directory-'

/**
 * Remembers the directory of uploads. The returned function throws if it was moved away or replaced: uploads would go
 * into a new one.
 */
export async function watchDirectory(directory: string): Promise<() => Promise<void>> {
  const markers = async () =>
    (await readdir(directory).catch(() => [])).filter((name) => name.startsWith(markerPrefix))
  /** Several servers may share the directory: each remembers a marker that it found or made. */
  const mark = async () => {
    const [found] = await markers()
    if (found !== undefined) return found
    const made = `${markerPrefix}${systemEnv().newId('directory')}`
    // A full disk stops no start.
    return mkdir(join(directory, made), 0o700).then(
      () => made,
      () => undefined,
    )
  }
  let marker = await mark()
  return async () => {
    marker ??= await mark()
    if (marker === undefined || !(await markers()).includes(marker))
      throw new UserError(
        'their directory is gone, or another than at the start: bring it back, or restart the server',
      )
  }
}
