import { type Refused, refuse } from '../../kernel/index.ts'

/** Why an archive cannot be published. */
export type ArchiveRefusal = 'invalid_archive' | 'archive_too_large'

/**
 * Aborts the reading of an archive from within its streams; {@link readArchive} returns it as a refusal. It never
 * leaves this folder.
 */
export class ArchiveProblem extends Error {
  readonly refused: Refused<ArchiveRefusal>

  constructor(code: ArchiveRefusal, message: string) {
    super(message)
    this.refused = refuse(code, message)
  }
}

/** The bytes are not a valid archive, or contain entries that modules cannot have. */
export const invalid = (message: string): ArchiveProblem => new ArchiveProblem('invalid_archive', message)

/** The archive exceeds a limit of the registry. */
export const tooLarge = (message: string): ArchiveProblem => new ArchiveProblem('archive_too_large', message)

/** Text of an archive for messages: quoted and truncated. */
export const shown = (text: string): string =>
  JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)
