import { Problem } from '../../data/call.ts'
import { escapedPath, secretsCall } from './api.ts'

/** The maximum number of folders that one search lists. */
const mostFolders = 500
/** The number of folders listed concurrently. */
const concurrency = 4

export interface Found {
  readonly paths: readonly string[]
  /** Whether every folder was searched. */
  readonly isWhole: boolean
}

/** The names in a folder of a mount; folders end in a slash. An empty or forbidden one has none. */
export async function listFolder(
  { mount, isVersioned }: { readonly mount: string; readonly isVersioned: boolean },
  folder: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { keys } = await secretsCall<{ readonly keys: readonly string[] }>(
    `${mount}${isVersioned ? 'metadata/' : ''}${escapedPath(folder)}`,
    { query: { list: 'true' }, signal },
  )
  return keys
}

/** The secrets below a folder whose relative path contains a text, nearest first. */
export async function searchBelow(
  where: { readonly mount: string; readonly isVersioned: boolean },
  folder: string,
  text: string,
  signal: AbortSignal,
): Promise<Found> {
  const wanted = text.toLowerCase()
  const paths: string[] = []
  let folders = [folder]
  let listed = 0
  while (folders.length > 0 && listed < mostFolders) {
    const now = folders.slice(0, concurrency)
    folders = folders.slice(concurrency)
    listed += now.length
    const names = await Promise.all(now.map((each) => listFolder(where, each, signal).catch(noneIfRefused)))
    for (const [at, within] of now.entries())
      for (const name of names[at] ?? []) {
        const path = within + name
        if (name.endsWith('/')) folders.push(path)
        else if (path.slice(folder.length).toLowerCase().includes(wanted)) paths.push(path)
      }
  }
  return { paths, isWhole: folders.length === 0 }
}

function noneIfRefused(error: unknown): readonly string[] {
  if (error instanceof Problem && (error.status === 403 || error.status === 404)) return []
  throw error
}
