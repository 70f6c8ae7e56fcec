import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { archivesIn, fileOf } from '../serve/data.ts'
import { UserError } from '../user-error.ts'

/** The realms of a server's data, each of which is one file of a backup. */
export const realms = ['secrets', 'scheduler', 'catalog', 'registry'] as const
export type Realm = (typeof realms)[number]

/** The realms whose records name blobs, and where these are below the directory of blobs. */
export const uploads = [
  { realm: 'catalog', what: 'uploads', blobs: 'blobs', folderOf: (blobs: string) => blobs },
  { realm: 'registry', what: 'modules', blobs: 'archives', folderOf: archivesIn },
] as const

/** Returns the file of a server's data on this machine; throws if there is none, because opening it would create it. */
export function existingFile(where: string): string {
  const file = fileOf(where)
  if (!existsSync(file))
    throw new UserError(`there is no data of a server in ${where}: ${file} does not exist`)
  return file
}

/** The paths within a backup. */
export const placesIn = (folder: string) => ({
  realm: (name: string) => join(folder, `${name}.jsonl.gz`),
  blobs: join(folder, 'blobs'),
  devKeys: join(folder, 'dev-keys.json'),
})

/** The blobs of a directory, which may be read-only. */
export async function filesBelow(directory: string) {
  const kept = join(directory, 'kept')
  const entries = existsSync(kept) ? await readdir(kept, { recursive: true, withFileTypes: true }) : []
  const files: { readonly id: string; readonly path: string; readonly bytes: number }[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.push({ id: entry.name, path, bytes: (await stat(path)).size })
  }
  return files
}
