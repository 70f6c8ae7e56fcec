import { refuse, unwrap } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { SchedulerConfiguration, SchedulerConfigurationFound } from '../placement/configuration.ts'
import { configurationKey, configurationRecords } from '../records/collections.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { ReadCall } from '../service/call.ts'
import { type Cluster, indexOf } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { configurationAt } from '../service/read/configuration-at.ts'
import { answerRead } from '../service/read/read.ts'
import { call, config } from './arguments.ts'
import type { WriteConfigurationCall } from './calls.ts'

/** The operations for operators. */
export const operatorOperations = {
  /**
   * Reads the scheduler configuration; requires `operator:read`.
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
  readSchedulerConfiguration: operation({
    takes: [call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, call: ReadCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.coarse('operator', 'read')) return permissionDenied()
        const keys = [configurationRecords.keyOf(configurationKey)]
        return answerRead<SchedulerConfigurationFound>(cluster, call, now, ['configuration'], (at) => ({
          value: configurationAt(at),
          index: indexOf(at, keys),
          keys,
        }))
      }),
  }),

  /**
   * Replaces the scheduler configuration; requires `operator:write`. With `cas`, only if the configuration still has
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
  writeSchedulerConfiguration: operation({
    takes: [config, call],
    refuses: ['permission_denied', 'invalid_scheduler_configuration'],
    run: (cluster: Cluster, config: SchedulerConfiguration, call: WriteConfigurationCall = {}) =>
      enter(cluster, call, async ({ access }) => {
        if (!access.coarse('operator', 'write')) return permissionDenied()
        const { SchedulerAlgorithm: algorithm } = config
        if (algorithm !== 'binpack' && algorithm !== 'spread')
          return refuse(
            'invalid_scheduler_configuration',
            `invalid scheduler algorithm "${algorithm}", must be binpack or spread`,
          )
        const { answer, rev } = await cluster.commitAt((tx) => {
          const before = tx.get(configurationRecords, configurationKey)
          const Updated = call.cas === undefined || call.cas === (before?.modified ?? 1)
          if (Updated) tx.put(configurationRecords, { name: configurationKey, config })
          return { ok: true, value: { Updated }, events: [] }
        })
        return { ok: true as const, value: unwrap(answer), index: rev }
      }),
  }),
}
