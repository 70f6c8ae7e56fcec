import type { Answer } from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import { asFolder, listKeys } from '../../kv1/index.ts'
import { digestOfLease, leaseIdOf, type Token } from '../../tokens/index.ts'
import type { Core, Namespace } from '../core/core.ts'
import { isLiving, livingOf, tokenAt, tokenRecords } from './records.ts'
import type { TokensService } from './tokens.ts'

/** The leases of a service. Only tokens have leases: those of the key/value engines are hints for readers. */
export type LeasesService = ReturnType<typeof leasesService>

export function leasesService(core: Core, tokens: Pick<TokensService, 'revoke'>) {
  const below = (now: Snapshot, namespace: Namespace, prefix: string) => {
    const isAlive = livingOf(now, core.env().now)
    return tokenRecords.list(now).flatMap(({ value: token }) => {
      const leaseId = token.namespace === namespace.path ? leaseIdOf(token) : undefined
      return leaseId?.startsWith(prefix) && isAlive(token) ? [{ leaseId, token }] : []
    })
  }

  return {
    /** The live token of a lease in this namespace. */
    find: async (namespace: Namespace, leaseId: string): Promise<Token | undefined> => {
      const now = await core.fresh()
      const token = tokenAt(now, digestOfLease(leaseId) ?? '')
      const isMeant = token?.namespace === namespace.path && leaseIdOf(token) === leaseId
      return isMeant && isLiving(now, token, core.env().now) ? token : undefined
    },
    /** The direct children of a folder of lease names. */
    list: async (namespace: Namespace, folder: string): Promise<readonly string[]> => {
      const prefix = asFolder(folder)
      const found = below(await core.fresh(), namespace, prefix).map(({ leaseId }) => leaseId)
      return listKeys(found.sort(), prefix)
    },
    /** Revokes every token whose lease is below a path, with its descendants; returns their number. */
    revokeBelow: async (namespace: Namespace, path: string): Promise<Answer<number, 'not_revocable'>> => {
      const found = below(await core.fresh(), namespace, asFolder(path))
      for (const { token } of found) {
        const ended = await tokens.revoke(token)
        if (!ended.ok) return ended
      }
      return { ok: true, value: found.length }
    },
  }
}
