import { type Refused, refuse } from '../../../kernel/index.ts'
import { type Snapshot, transact } from '../../../store/index.ts'
import {
  SchedulerConfiguration,
  type SchedulerConfigurationFound,
  type SchedulerConfigurationInput,
} from '../../placement/configuration.ts'
import { configurationKey, configurationRecords } from '../../records/collections.ts'
import { withIndexes } from '../../records/tables.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { Found, ReadCall, WriteCall, Written } from '../call.ts'
import { type Cluster, indexOf } from '../cluster.ts'
import { enter } from '../enter.ts'
import { writtenConfiguration } from '../parsed-arguments.ts'
import { answerRead } from '../read/read.ts'

/** The configuration as of a snapshot; the defaults belong to the cluster's birth. */
export function configurationAt(now: Snapshot): SchedulerConfigurationFound {
  const found = configurationRecords.get(now, configurationKey)
  if (found !== undefined)
    return Object.freeze(withIndexes(found.value.config, found.created, found.modified))
  // Every registration asks: parsed once, when the first one does.
  defaults ??= defaultConfiguration()
  return defaults
}

let defaults: SchedulerConfigurationFound | undefined

function defaultConfiguration(): SchedulerConfigurationFound {
  const { PreemptionConfig, ...config } = SchedulerConfiguration.parse({})
  const frozen = Object.assign(config, { PreemptionConfig: Object.freeze(PreemptionConfig) })
  return Object.freeze(withIndexes(frozen, 1, 1))
}

/** What only operators do. */
export function operatorMethods(cluster: Cluster) {
  return {
    /**
     * Reads how the cluster places; asks for `operator:read`.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * const found = await scheduler.readSchedulerConfiguration()
     * found.ok && found.value.SchedulerAlgorithm // 'binpack'
     * ```
     */
    readSchedulerConfiguration: (
      call: ReadCall = {},
    ): Promise<Found<SchedulerConfigurationFound> | Refused<'permission_denied'>> =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.coarse('operator', 'read')) return permissionDenied()
        const keys = [configurationRecords.keyOf(configurationKey)]
        return answerRead<SchedulerConfigurationFound>(cluster, call, now, ['configuration'], (at) => ({
          value: configurationAt(at),
          index: indexOf(at, keys),
          keys,
        }))
      }),

    /**
     * Replaces how the cluster places; asks for `operator:write`. With `cas` only where the configuration still has
     * that ModifyIndex: the value says whether it was written.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * const written = await scheduler.writeSchedulerConfiguration({ SchedulerAlgorithm: 'spread' }, { cas: 1 })
     * written.ok && written.value.Updated // true
     * ```
     */
    writeSchedulerConfiguration: (
      given: SchedulerConfigurationInput,
      call: WriteCall & { readonly cas?: number | undefined } = {},
    ): Promise<
      | Written<{ readonly Updated: boolean }>
      | Refused<'permission_denied' | 'invalid_scheduler_configuration'>
    > =>
      enter(cluster, call, async ({ access }) => {
        if (!access.coarse('operator', 'write')) return permissionDenied()
        const config = writtenConfiguration.take(given)
        const { SchedulerAlgorithm: algorithm } = config
        if (algorithm !== 'binpack' && algorithm !== 'spread')
          return refuse(
            'invalid_scheduler_configuration',
            `invalid scheduler algorithm "${algorithm}", must be binpack or spread`,
          )
        const env = cluster.env()
        await cluster.born()
        const { result, rev } = await transact(
          cluster.view,
          () => env.newId('commit'),
          (tx) => {
            const before = tx.get(configurationRecords, configurationKey)
            if (call.cas !== undefined && call.cas !== (before?.modified ?? 1)) return false
            tx.put(configurationRecords, { name: configurationKey, config })
            return true
          },
        )
        return { ok: true, value: { Updated: result }, index: rev }
      }),
  }
}
