import { refuse, unwrap } from '../../../kernel/index.ts'
import { prefixOf } from '../../../store/index.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import type { Concept, Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { mountById } from '../core/find-mounts.ts'
import {
  approleAccessors,
  approleExpiries,
  approleRoleIds,
  approleRoles,
  approleSecretIds,
  deleteSecretId,
} from './records.ts'

/** Secret IDs removed per commit: each is three keys. */
const batch = 16

/** Removes some expired secret IDs; returns their number. */
const expire = async (core: Core): Promise<number> =>
  unwrap(
    await core.commit((tx, { now }) => {
      const expired = tx.now
        .scan({ prefix: approleExpiries.prefix, limit: batch })
        .map((entry) => approleExpiries.stored(entry).value)
        .filter(({ at }) => at <= now)
      for (const { at, mount, role, digest } of expired) {
        const found = tx.get(approleSecretIds, mount, role, digest)?.value.secretId
        // Its role may have been deleted, and with it the secret ID.
        if (found?.expiresAt === at) deleteSecretId(tx, { mount, role }, found)
        else tx.delete(approleExpiries, at, mount, role, digest)
      }
      return done(expired.length)
    }),
  )

export const approle: Concept = {
  held: [approleRoles, approleRoleIds, approleSecretIds, approleAccessors, approleExpiries],
  ofMount: (id) =>
    [approleRoles, approleRoleIds, approleSecretIds, approleAccessors].map(({ name }) => prefixOf(name, id)),
  sweep: expire,
  nextExpiry: async (core) => {
    const [first] = (await core.fresh()).scan({ prefix: approleExpiries.prefix, limit: 1 })
    return first && approleExpiries.stored(first).value.at
  },
  loginRole: {
    mountTypes: ['approle'],
    of: (now, mountId, { role_id: roleId }) =>
      typeof roleId === 'string' ? approleRoleIds.get(now, mountId, roleId)?.value.name : undefined,
  },
  renewal: {
    isOf: (_core, mountType) => mountType === 'approle',
    settings: async (core, _token, namespace, { mount: id, user: name }) => {
      const now = await core.fresh()
      const role = approleRoles.get(now, id, name)?.value.role
      if (role === undefined)
        return refuse('login_user_gone', 'the role of this token no longer exists, not renewing')
      const mount = mountById(now, namespace, id)
      return { ...leaseTimesOf(mount ?? core.mountPolicy, core.mountPolicy), settings: role.tokens }
    },
  },
}
