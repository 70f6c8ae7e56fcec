import type { Version } from './model.ts'

/** The uploaded images of a version, by their blobs. */
export const blobsOf = (version: Version): string[] =>
  version.providers.flatMap(({ asset }) => (asset === null ? [] : [asset.blob]))

/** The images that a version no longer has. */
export function droppedBlobs(before: Version, after: Version): string[] {
  const kept = new Set(blobsOf(after))
  return blobsOf(before).filter((blob) => !kept.has(blob))
}

/** The bytes of the uploaded images of a version. */
export const bytesOf = (version: Version): number =>
  version.providers.reduce((sum, { asset }) => sum + (asset?.size ?? 0), 0)
