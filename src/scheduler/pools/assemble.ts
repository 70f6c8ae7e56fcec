import type { PoolInput, PoolSpec } from './model.ts'

/** A pool with everything that was left out filled in. */
export const assemblePool = ({ Name, Description, Meta, SchedulerConfiguration }: PoolInput): PoolSpec => ({
  Name,
  Description: Description ?? '',
  Meta: Meta ?? null,
  SchedulerConfiguration: SchedulerConfiguration
    ? {
        SchedulerAlgorithm: SchedulerConfiguration.SchedulerAlgorithm ?? '',
        MemoryOversubscriptionEnabled: SchedulerConfiguration.MemoryOversubscriptionEnabled ?? null,
      }
    : null,
})
