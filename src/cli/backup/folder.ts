import { join } from 'node:path'

/** The realms of a server's data, each of which is a file of a backup. */
export const realms = ['secrets', 'scheduler', 'catalog', 'registry'] as const

/** Where things are in a backup. */
export const placesIn = (folder: string) => ({
  realm: (name: string) => join(folder, `${name}.jsonl.gz`),
  blobs: join(folder, 'blobs'),
  devKeys: join(folder, 'dev-keys.json'),
})
