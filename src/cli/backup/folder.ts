import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { archivesIn, sqlitePrefix } from '../serve/data.ts'

/** The realms of a server's data, each of which is one file of a backup. */
export const realms = ['secrets', 'scheduler', 'catalog', 'registry'] as const
export type Realm = (typeof realms)[number]

/** The realms whose records name blobs, and where these are below the directory of blobs. */
export const uploads = [
  { realm: 'catalog', what: 'uploads', blobs: 'blobs', folderOf: (blobs: string) => blobs },
  { realm: 'registry', what: 'modules', blobs: 'archives', folderOf: archivesIn },
] as const

/** The location of data on this machine, and its existing realms: opening a missing one would create it. */
export function localRealms(where: string): {
  readonly path: string
  readonly found: readonly Realm[]
} {
  const isFile = where.startsWith(sqlitePrefix)
  const path = resolve(isFile ? where.slice(sqlitePrefix.length) : where)
  return { path, found: realms.filter((realm) => existsSync(isFile ? path : join(path, `${realm}.lmdb`))) }
}

/** The paths within a backup. */
export const placesIn = (folder: string) => ({
  realm: (name: string) => join(folder, `${name}.jsonl.gz`),
  blobs: join(folder, 'blobs'),
  devKeys: join(folder, 'dev-keys.json'),
})
