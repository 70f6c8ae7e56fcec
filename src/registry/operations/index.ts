import { archiveOperations } from './archives.ts'
import { auditOperations } from './audit.ts'
import { historyOperations } from './history.ts'
import { quotaOperations } from './quota.ts'
import { readOperations } from './reads.ts'
import { tokenOperations } from './tokens.ts'
import { webhookOperations } from './webhooks.ts'
import { writeOperations } from './writes.ts'

/** All operations of a registry: their types by name, because declarations lose the docstrings of a spread. */
export type RegistryOperations = typeof readOperations &
  typeof writeOperations &
  typeof archiveOperations &
  typeof tokenOperations &
  typeof auditOperations &
  typeof historyOperations &
  typeof quotaOperations &
  typeof webhookOperations

export const registryOperations: RegistryOperations = {
  ...readOperations,
  ...writeOperations,
  ...archiveOperations,
  ...tokenOperations,
  ...auditOperations,
  ...historyOperations,
  ...quotaOperations,
  ...webhookOperations,
}
