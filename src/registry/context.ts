import type { Words } from '../http/index.ts'
import type { MethodsOf } from '../operation/operation.ts'
import type { Reader } from './operations/reader.ts'
import type { readOperations } from './operations/reads.ts'
import type { writeOperations } from './operations/writes.ts'
import type { VersionsOf } from './version-list-encoder.ts'

/** What the routes need to know about the registry and who asks. */
export interface RegistryContext {
  readonly registry: MethodsOf<typeof readOperations & typeof writeOperations>
  readonly reader: Reader
  readonly words: Words
  /** The JSON text of a version list. */
  readonly spellVersions: (listed: VersionsOf) => string
  /** What addresses begin with: of the whole registry, or a path of this host; no last slash. */
  readonly base: string
  /** Whether a download also says in its body what its header says. */
  readonly downloadBody: boolean
}
