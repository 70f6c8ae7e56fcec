import type { Refused } from '../../kernel/index.ts'
import type { Snapshot } from '../../store/index.ts'
import { digestOfLease, leaseIdOf, type Token } from '../tokens/index.ts'
import { type Core, isRefused, type Namespace } from './core.ts'
import { isLiving, tokenAt, tokenRecords } from './token-records.ts'
import type { TokensService } from './tokens.ts'

type LeaseResult<Value, Code extends string = never> =
  | { readonly ok: true; readonly value: Value }
  | Refused<Code | 'sealed'>

/** The leases of a service. Only tokens have any: what the key/value engines call a lease is advice to readers. */
export interface LeasesService {
  /** The living token that a lease of this namespace is of. */
  readonly find: (namespace: Namespace, leaseId: string) => Promise<LeaseResult<Token | undefined>>
  /** The direct children of a folder of lease names. */
  readonly list: (namespace: Namespace, folder: string) => Promise<LeaseResult<readonly string[]>>
  /** Ends every token whose lease lies below a path, with its descendants; gives how many there were. */
  readonly revokeBelow: (
    namespace: Namespace,
    prefix: string,
  ) => Promise<LeaseResult<number, 'not_revocable'>>
}

export function leasesService(core: Core, tokens: Pick<TokensService, 'revoke'>): LeasesService {
  const livingIn = (now: Snapshot, namespace: Namespace, token: Token | undefined): token is Token =>
    token !== undefined && token.namespace === namespace.path && isLiving(now, token, core.env().now)

  const below = (now: Snapshot, namespace: Namespace, prefix: string) =>
    tokenRecords.list(now).flatMap(({ value: token }) => {
      const leaseId = leaseIdOf(token)
      return leaseId?.startsWith(prefix) && livingIn(now, namespace, token) ? [{ leaseId, token }] : []
    })

  return {
    find: async (namespace, leaseId) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const now = await opened.view.fresh()
      const token = tokenAt(now, digestOfLease(leaseId) ?? '')
      const found = livingIn(now, namespace, token) && leaseIdOf(token) === leaseId
      return { ok: true, value: found ? token : undefined }
    },
    list: async (namespace, folder) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const prefix = asFolder(folder)
      const names = below(await opened.view.fresh(), namespace, prefix).map(({ leaseId }) => {
        const rest = leaseId.slice(prefix.length)
        return rest.slice(0, rest.indexOf('/') + 1) || rest
      })
      return { ok: true, value: [...new Set(names)].sort() }
    },
    revokeBelow: async (namespace, path) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const found = below(await opened.view.fresh(), namespace, asFolder(path))
      for (const { token } of found) {
        const ended = await tokens.revoke(token)
        if (!ended.ok) return ended
      }
      return { ok: true, value: found.length }
    },
  }
}

const asFolder = (path: string): string => (path === '' || path.endsWith('/') ? path : `${path}/`)
