import { ownerBlob } from '../../../src/store/blobs/owned-blobs.ts'
import type { Blobs } from '../../../src/store/index.ts'

/** The ids of a service's blobs: all but the one that says whose they are. */
export async function* ownedBlobIds(blobs: Blobs): AsyncGenerator<string> {
  for await (const id of blobs.list()) if (id !== ownerBlob) yield id
}
