import type { Words } from '../http/index.ts'
import type { ArchiveTickets } from './archive-tickets.ts'
import type { LoginService } from './login-service.ts'
import type { RegistryParts } from './operations/parts.ts'
import type { Publisher } from './operations/publisher.ts'
import type { Reader } from './operations/reader.ts'
import type { versionListEncoder } from './version-list-encoder.ts'

/** The context of the routes: the registry and the caller. */
export interface RegistryContext {
  /** The parts of the registry, with the caller as the actor of changes. */
  readonly parts: RegistryParts
  readonly reader: Reader
  /** The publisher; on publishing routes only. */
  readonly publisher: Publisher | undefined
  /** Signs the URLs of archives, if the registry is private. */
  readonly tickets: ArchiveTickets | undefined
  /** The ticket that the request came with, in place of a token. */
  readonly ticket: string | undefined
  /** The login section of the discovery document. */
  readonly login: LoginService | undefined
  /** The largest accepted archive. */
  readonly archiveBytes: number
  readonly words: Words
  /** The JSON text of a version list. */
  readonly spellVersions: ReturnType<typeof versionListEncoder>
  /** The prefix of URLs: of the whole registry, or a path of this host; no trailing slash. */
  readonly base: string
  /** Whether a download also has a body with the content of its header, even if the caller does not require JSON. */
  readonly downloadBody: boolean
}
