import * as z from 'zod'
import { refuse } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { found } from '../core/answer.ts'
import { answerTwice, operationRoute, type Within } from '../core/context.ts'
import { mountsIn } from '../core/find-mounts.ts'
import { twice } from '../core/reply-shapes.ts'
import { lockedAt, unlock } from './lockouts.ts'

const Query = z.object({
  mount_accessor: z.string().optional().describe('a mount; all mounts by default'),
})
const LockedNames = twice({
  by_namespace: z.array(
    z.object({
      namespace_id: z.string(),
      namespace_path: z.string(),
      counts: z.int(),
      mount_accessors: z.array(
        z.object({ mount_accessor: z.string(), counts: z.int(), alias_identifiers: z.array(z.string()) }),
      ),
    }),
  ),
  total: z.int(),
})

/** The operations on locked user names. */
const lockoutOperations = {
  /** The locked names of each auth method that has some; of one method, or of all. */
  list: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within, accessor: string | undefined) =>
      found(
        (await mountsIn(core, namespace, 'auth'))
          .filter((mount) => !accessor || mount.accessor === accessor)
          .map((mount) => ({ accessor: mount.accessor, names: lockedAt(core, mount) }))
          .filter(({ names }) => names.length > 0),
      ),
  }),
  unlock: routeOperation({
    refuses: ['mount_accessor_unknown'],
    run: async ({ core, namespace }: Within, accessor: string, name: string) => {
      const mount = (await mountsIn(core, namespace, 'auth')).find((one) => one.accessor === accessor)
      if (mount === undefined)
        return refuse('mount_accessor_unknown', `no auth method has the accessor ${JSON.stringify(accessor)}`)
      return found(unlock({ core, namespace, mount }, name))
    },
  }),
}

/** The routes of locked user names. */
export const lockoutRoutes = [
  operationRoute({
    id: 'sys.locked-users',
    method: 'GET',
    path: '/locked-users',
    summary: 'List the user names locked by failed logins, by auth method',
    description: 'Each server counts only the failed logins that it handled.',
    access: 'read',
    query: Query,
    reply: LockedNames,
    run: lockoutOperations.list,
    with: ({ query }) => [query.mount_accessor],
    show: (locked, { context }) => {
      const total = locked.reduce((sum, { names }) => sum + names.length, 0)
      const { id, path } = context.namespace
      const mounts = locked.map(({ accessor, names }) => ({
        mount_accessor: accessor,
        counts: names.length,
        alias_identifiers: names,
      }))
      const entry = { namespace_id: id, namespace_path: path, counts: total, mount_accessors: mounts }
      return answerTwice(context, { by_namespace: total === 0 ? [] : [entry], total })
    },
  }),
  operationRoute({
    id: 'sys.unlock-user',
    method: 'POST',
    path: '/locked-users/:accessor/unlock/*name',
    summary: 'Unlock a user name; an unlocked one is not an error',
    access: 'update',
    run: lockoutOperations.unlock,
    with: ({ params }) => [params.accessor, params.name],
  }),
]
