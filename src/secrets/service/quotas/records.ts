import { collection, prefixOf } from '../../../store/index.ts'
import type { QuotaSettings, RateLimit } from '../../quotas/model.ts'
import type { Concept } from '../core/core.ts'

/** Rate limits, by the mount or the namespace that they are for and end with. Their mark validates their index. */
export const rateLimits = collection<{ readonly quota: RateLimit }>({
  name: 'quota',
  key: ({ quota }) => [quota.mountId ?? quota.namespaceId, quota.name],
})

/** The settings of all quotas. */
export const quotaSettingsRecords = collection<{ readonly settings: QuotaSettings }>({
  name: 'quotaconfig',
  key: () => ['it'],
  scopes: () => [],
})

export const quotas: Concept = {
  held: [rateLimits, quotaSettingsRecords],
  ofMount: (id) => [prefixOf(rateLimits.name, id)],
  ofNamespace: (id) => [prefixOf(rateLimits.name, id)],
}
