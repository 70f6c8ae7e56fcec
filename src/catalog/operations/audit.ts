import { operation } from '../../operation/operation.ts'
import { readTrail, type TrailQuery } from '../../trail/read-trail.ts'
import type { Core } from '../service/core.ts'
import { administratorProblem } from '../service/guard.ts'
import { trailQuery } from './arguments.ts'

/** The operations of administrators on the audit trail. */
export const auditOperations = {
  /**
   * Reads a page of the changes of this catalog, newest first: who did what, when, to which box or account.
   *
   * @example
   * ```ts
   * import { createCatalog } from 'plinth/catalog'
   *
   * const catalog = createCatalog()
   * await catalog.putUser({ username: 'alice' })
   * await catalog.as({ kind: 'user', username: 'alice' }).createBox({ username: 'alice', name: 'tiny' })
   * const trail = await catalog.readAudit({ filter: 'by == "alice"' })
   * trail.ok && trail.value.changes.map(({ type, subject }) => `${type} ${subject}`) // ['box.created alice/tiny']
   * await catalog.close()
   * ```
   */
  readAudit: operation({
    takes: [trailQuery],
    refuses: ['unauthenticated', 'forbidden', 'invalid_filter', 'invalid_page'],
    run: async (core: Core, query: TrailQuery = {}) =>
      administratorProblem(core.caller, 'read the audit trail') ?? readTrail(core.store, query),
  }),
}
