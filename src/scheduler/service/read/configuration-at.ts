import type { Snapshot } from '../../../store/index.ts'
import { SchedulerConfiguration, type SchedulerConfigurationFound } from '../../placement/configuration.ts'
import { configurationKey, configurationRecords } from '../../records/collections.ts'
import { withIndexes } from '../../records/tables.ts'

/** The configuration in a snapshot; the defaults have the index of the cluster's creation. */
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
