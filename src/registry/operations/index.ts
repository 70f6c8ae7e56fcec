import { archiveOperations } from './archives.ts'
import { readOperations } from './reads.ts'
import { tokenOperations } from './tokens.ts'
import { writeOperations } from './writes.ts'

/** Everything that a registry does. */
export const registryOperations = {
  ...readOperations,
  ...writeOperations,
  ...archiveOperations,
  ...tokenOperations,
}

export type RegistryOperations = typeof registryOperations
