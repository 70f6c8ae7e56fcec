import type { Words } from '../http/index.ts'
import type { MethodsOf } from '../operation/operation.ts'
import type { ArchiveTickets } from './archive-tickets.ts'
import type { LoginService } from './login-service.ts'
import type { RegistryOperations } from './operations/index.ts'
import type { Publisher } from './operations/publisher.ts'
import type { Reader } from './operations/reader.ts'
import type { VersionsOf } from './version-list-encoder.ts'

/** What the routes need to know about the registry and who asks. */
export interface RegistryContext {
  readonly registry: MethodsOf<RegistryOperations>
  readonly reader: Reader
  /** Who publishes; on routes that only publishers may call. */
  readonly publisher: Publisher | undefined
  /** Signs the addresses of archives, where the registry is private. */
  readonly tickets: ArchiveTickets | undefined
  /** The ticket that the request came with, in place of a token. */
  readonly ticket: string | undefined
  /** What discovery says of logging in. */
  readonly login: LoginService | undefined
  /** The largest archive that is taken. */
  readonly archiveBytes: number
  readonly words: Words
  /** The JSON text of a version list. */
  readonly spellVersions: (listed: VersionsOf) => string
  /** What addresses begin with: of the whole registry, or a path of this host; no last slash. */
  readonly base: string
  /** Whether a download also says in its body what its header says, whether its caller asks for that or not. */
  readonly downloadBody: boolean
}
