import { refuse } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import type { Snapshot } from '../../../store/index.ts'
import { asFolder, listKeys } from '../../kv1/index.ts'
import { digestOfLease, leaseIdOf, lookupToken, type Token } from '../../tokens/index.ts'
import { found } from '../core/answer.ts'
import type { Within } from '../core/context.ts'
import { isLiving, livingOf, tokenRecords } from './records.ts'
import { revokeToken } from './revocation.ts'

const missing = () => refuse('lease_missing', 'lease_id must be specified')

const below = ({ core, namespace }: Within, now: Snapshot, prefix: string) => {
  const isAlive = livingOf(now, core.env().now)
  return tokenRecords.list(now).flatMap(({ value: token }) => {
    const leaseId = token.namespace === namespace.path ? leaseIdOf(token) : undefined
    return leaseId?.startsWith(prefix) && isAlive(token) ? [{ leaseId, token }] : []
  })
}

/** The live token of a lease in this namespace. */
async function tokenOf({ core, namespace }: Within, leaseId: string): Promise<Token | undefined> {
  const now = await core.fresh()
  const token = tokenRecords.get(now, digestOfLease(leaseId) ?? '')?.value
  const isMeant = token?.namespace === namespace.path && leaseIdOf(token) === leaseId
  return isMeant && isLiving(now, token, core.env().now) ? token : undefined
}

/** The operations on leases. Only tokens have leases: those of the key/value engines are hints for readers. */
export const leaseOperations = {
  lookup: routeOperation({
    refuses: ['lease_missing', 'lease_unknown'],
    run: async (at: Within, leaseId: string) => {
      if (leaseId === '') return missing()
      const token = await tokenOf(at, leaseId)
      return token === undefined
        ? refuse('lease_unknown', 'invalid lease')
        : found({ leaseId, token: lookupToken(token, at.core.env().now) })
    },
  }),
  /** The direct children of a folder of lease names. */
  list: routeOperation({
    refuses: [],
    run: async (at: Within, folder: string) => {
      const prefix = asFolder(folder)
      const names = below(at, await at.core.fresh(), prefix).map(({ leaseId }) => leaseId)
      return found(listKeys(names.sort(), prefix))
    },
  }),
  /** Refuses: the lease of a token is renewed at the token store. */
  renew: routeOperation({
    refuses: ['lease_missing', 'lease_unknown', 'lease_of_token'],
    run: async (at: Within, leaseId: string) => {
      if (leaseId === '') return missing()
      return (await tokenOf(at, leaseId)) === undefined
        ? refuse('lease_unknown', 'lease not found')
        : refuse('lease_of_token', 'tokens cannot be renewed through this endpoint')
    },
  }),
  /** Revokes a lease with its token and the descendants of the token; false for an unknown lease. */
  revoke: routeOperation({
    refuses: ['lease_missing', 'not_revocable'],
    run: async (at: Within, leaseId: string) => {
      if (leaseId === '') return missing()
      const token = await tokenOf(at, leaseId)
      return token ? revokeToken(at.core, token) : found(false)
    },
  }),
  /** Revokes every token whose lease is below a path, with its descendants; returns their number. */
  revokeBelow: routeOperation({
    refuses: ['not_revocable'],
    run: async (at: Within, path: string) => {
      const leases = below(at, await at.core.fresh(), asFolder(path))
      for (const { token } of leases) {
        const ended = await revokeToken(at.core, token)
        if (!ended.ok) return ended
      }
      return found(leases.length)
    },
  }),
}
