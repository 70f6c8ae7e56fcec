import { archiveOperations } from './archives.ts'
import { auditOperations } from './audit.ts'
import { readOperations } from './reads.ts'
import { tokenOperations } from './tokens.ts'
import { writeOperations } from './writes.ts'

/** All operations of a registry. */
export const registryOperations = {
  ...readOperations,
  ...writeOperations,
  ...archiveOperations,
  ...tokenOperations,
  ...auditOperations,
}

export type RegistryOperations = typeof registryOperations
