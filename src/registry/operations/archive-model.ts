import type { BlobRange } from '../../store/index.ts'
import type { ArchiveFormat } from '../archive/read-archive.ts'
import type { StoredArchive } from '../versions/model.ts'

/**
 * A version to publish with its archive.
 *
 * @public
 */
export interface PublishArchiveInput {
  /** Its number, as {@link parseVersion} reads it. */
  readonly version: string
  /** What the archive is said to be; by its first bytes where that is left out. */
  readonly format?: 'tar.gz' | 'zip' | undefined
  /** Who looks after the module, where it is a new one. */
  readonly owner?: string | undefined
  /** Refuses a longer archive, where that is less than what the registry takes. */
  readonly maxBytes?: number | undefined
}

/**
 * A version that was published with its archive.
 *
 * @public
 */
export interface PublishedArchive {
  /** The canonical number. */
  readonly number: string
  /** What of its files could not be read, each with its file and place. */
  readonly warnings: readonly string[]
}

/**
 * The archive of a version.
 *
 * @public
 */
export interface OpenableArchive extends StoredArchive {
  /** When it was published, in microseconds since the Unix epoch. */
  readonly publishedMicros: number
  /** Its bytes, or some of them; nothing once it was removed. */
  readonly open: (range?: BlobRange) => Promise<ReadableStream<Uint8Array> | undefined>
  /** Makes an address at which it can be fetched for a quarter of an hour; absent where only `open` gives it. */
  readonly address?: (() => Promise<string>) | undefined
}

/** The media types of archives. */
export const typeOf: Readonly<Record<ArchiveFormat, string>> = {
  'tar.gz': 'application/gzip',
  zip: 'application/zip',
}
