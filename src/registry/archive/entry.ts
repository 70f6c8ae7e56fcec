/** What an archive holds at a path. */
export type EntryKind = 'file' | 'folder' | 'symlink' | 'hardlink'

/** One entry of an archive, before its bytes. */
export interface Entry {
  /** Its path as a plain one: no `.`, `..` or empty segment, no first or last slash. */
  readonly path: string
  readonly kind: EntryKind
  /** Where a link leads, as the archive says it. */
  readonly target: string
}

/**
 * Takes an entry. It may read a file's bytes, to their end or not at all; what it leaves is skipped and checked all the
 * same.
 */
export type Visit = (entry: Entry, bytes: AsyncIterable<Uint8Array>) => Promise<void>

/**
 * How large an archive may be.
 *
 * @public
 */
export interface ArchiveLimits {
  /** Bytes of the archive itself; 256 MiB by default, or what its listener takes. */
  readonly archiveBytes: number
  /** Bytes of everything in it, unpacked; 256 MiB by default. */
  readonly expandedBytes: number
  /** Files, folders and links in it; 20,000 by default. */
  readonly entries: number
}

/**
 * The default {@link ArchiveLimits}.
 *
 * @public
 */
export const archiveLimits: ArchiveLimits = {
  archiveBytes: 256 * 1024 * 1024,
  expandedBytes: 256 * 1024 * 1024,
  entries: 20_000,
}
