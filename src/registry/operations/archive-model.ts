import type { BlobRange } from '../../store/index.ts'
import type { ArchiveFormat } from '../archive/read-archive.ts'
import type { StoredArchive } from '../versions/model.ts'

/**
 * A version to publish with its archive.
 */
export interface PublishArchiveInput {
  /** Its number, as {@link parseVersion} reads it. */
  readonly version: string
  /** The declared format of the archive; detected by its first bytes if omitted. */
  readonly format?: 'tar.gz' | 'zip' | undefined
  /** The maintainer of the module, if it is new. */
  readonly owner?: string | undefined
  /**
   * A short description of the module; by default, the first paragraph of the README of its newest version, unless one
   * was given before.
   */
  readonly description?: string | undefined
  /** The URL of its source code; unchanged by default. */
  readonly source?: string | undefined
  /** Words to find it by; unchanged by default. */
  readonly labels?: readonly string[] | undefined
  /** Refuses a longer archive, if this is less than the limit of the registry. */
  readonly maxBytes?: number | undefined
}

/**
 * A version that was published with its archive.
 */
export interface PublishedArchive {
  /** The canonical number. */
  readonly number: string
  /** The parse errors of its files, each with its file and position. */
  readonly warnings: readonly string[]
}

/**
 * The archive of a version.
 */
export interface OpenableArchive extends StoredArchive {
  /** When it was published, in microseconds since the Unix epoch. */
  readonly publishedMicros: number
  /** Opens its bytes, or a range of them; `undefined` once it was removed. */
  readonly open: (range?: BlobRange) => Promise<ReadableStream<Uint8Array> | undefined>
  /** Creates a presigned URL that is valid for a quarter of an hour; absent if the blob store has none. */
  readonly address?: (() => Promise<string>) | undefined
}

/** The media types of archives. */
export const typeOf: Readonly<Record<ArchiveFormat, string>> = {
  'tar.gz': 'application/gzip',
  zip: 'application/zip',
}
