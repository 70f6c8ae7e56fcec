import * as z from 'zod'
import { route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import type { Mount } from '../../mounts/index.ts'
import { answerDone, answerTwice, type SecretsContext } from '../core/context.ts'
import { twice } from '../core/reply-shapes.ts'

const at = route<SecretsContext>()

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

const authMounts = ({ services, namespace }: SecretsContext): Promise<readonly Mount[]> =>
  services.mounts.list(namespace, 'auth')

/** The routes of locked user names. */
export const lockoutRoutes = [
  at({
    id: 'sys.locked-users',
    method: 'GET',
    path: '/locked-users',
    summary: 'List the user names locked by failed logins, by auth method',
    description: 'Each server counts only the failed logins that it handled.',
    access: 'read',
    query: Query,
    reply: LockedNames,
    handle: async ({ context, query }) => {
      const mounts = await authMounts(context)
      const locked = mounts
        .filter(({ accessor }) => !query.mount_accessor || accessor === query.mount_accessor)
        .map((mount) => ({
          mount_accessor: mount.accessor,
          names: context.services.lockouts.lockedAt(mount),
        }))
        .filter(({ names }) => names.length > 0)
        .map(({ mount_accessor, names }) => ({
          mount_accessor,
          counts: names.length,
          alias_identifiers: names,
        }))
      const total = locked.reduce((sum, { counts }) => sum + counts, 0)
      const { id, path } = context.namespace
      const entry = { namespace_id: id, namespace_path: path, counts: total, mount_accessors: locked }
      return answerTwice(context, { by_namespace: total === 0 ? [] : [entry], total })
    },
  }),
  at({
    id: 'sys.unlock-user',
    method: 'POST',
    path: '/locked-users/:accessor/unlock/*name',
    summary: 'Unlock a user name; an unlocked one is not an error',
    access: 'update',
    success: 204,
    refusals: ['mount_accessor_unknown'],
    handle: async ({ context, params }) => {
      const mount = (await authMounts(context)).find(({ accessor }) => accessor === params.accessor)
      if (mount === undefined)
        return refuse(
          'mount_accessor_unknown',
          `no auth method has the accessor ${JSON.stringify(params.accessor)}`,
        )
      context.services.lockouts.unlock({ namespace: context.namespace, mount }, params.name)
      return answerDone(context)
    },
  }),
]
