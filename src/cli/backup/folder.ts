import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { sqlitePrefix } from '../serve/data.ts'

/** The realms of a server's data, each of which is one file of a backup. */
export const realms = ['secrets', 'scheduler', 'catalog', 'registry'] as const

/** The location of data on this machine, and its existing realms: opening a missing one would create it. */
export function localRealms(where: string): {
  readonly path: string
  readonly found: readonly (typeof realms)[number][]
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
