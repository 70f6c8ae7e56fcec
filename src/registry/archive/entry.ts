/** An entry of an archive. */
export type EntryKind = 'file' | 'folder' | 'symlink' | 'hardlink'

/** One entry of an archive, before its bytes. */
export interface Entry {
  /** Its normalized path: no `.`, `..` or empty segment, no leading or trailing slash. */
  readonly path: string
  readonly kind: EntryKind
  /** The target of a link, as written in the archive. */
  readonly target: string
}

/**
 * Handles an entry. It may read a file's bytes completely or not at all; unread bytes are skipped and still checked.
 */
export type Visit = (entry: Entry, bytes: AsyncIterable<Uint8Array>) => Promise<void>

/**
 * Size limits of an archive.
 */
export interface ArchiveLimits {
  /** Maximum bytes of the archive itself; 256 MiB by default, or the limit of its listener. */
  readonly archiveBytes: number
  /** Maximum bytes of its unpacked contents; 256 MiB by default. */
  readonly expandedBytes: number
  /** Maximum number of files, folders and links; 20,000 by default. */
  readonly entries: number
}

/**
 * The default {@link ArchiveLimits}.
 */
export const archiveLimits: ArchiveLimits = {
  archiveBytes: 256 * 1024 * 1024,
  expandedBytes: 256 * 1024 * 1024,
  entries: 20_000,
}
