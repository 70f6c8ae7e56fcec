import { operation } from '../../operation/operation.ts'
import { readTrail, type TrailQuery } from '../../trail/read-trail.ts'
import { trailQuery } from './arguments.ts'
import type { RegistryParts } from './parts.ts'

/** The operations on the audit trail of a registry. */
export const auditOperations = {
  /**
   * Reads a page of the changes of this registry, newest first: who did what, when, to which module or token.
   *
   * @example
   * ```ts
   * import { createRegistry } from 'plinth/registry'
   *
   * const registry = createRegistry()
   * await registry.publishModule({ namespace: 'acme', name: 'vpc', provider: 'aws' })
   * const trail = await registry.readAudit({ filter: 'subject starts with "acme/"' })
   * trail.ok && trail.value.changes.map(({ type, subject }) => `${type} ${subject}`) // ['module.published acme/vpc/aws']
   * await registry.close()
   * ```
   */
  readAudit: operation({
    takes: [trailQuery],
    refuses: ['invalid_filter', 'invalid_page'],
    run: ({ store }: RegistryParts, query: TrailQuery = {}) => readTrail(store, query),
  }),
}
