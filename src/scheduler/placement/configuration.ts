import * as z from 'zod'

/**
 * The placement settings of the cluster, for node pools without their own.
 */
export const SchedulerConfiguration = z.object({
  /** `binpack` or `spread`. */
  SchedulerAlgorithm: z.string().default('binpack'),
  MemoryOversubscriptionEnabled: z.boolean().default(false),
  /** Whether jobs may be registered by management tokens only. */
  RejectJobRegistration: z.boolean().default(false),
  PauseEvalBroker: z.boolean().default(false),
  PreemptionConfig: z
    .object({
      SystemSchedulerEnabled: z.boolean().default(false),
      SysBatchSchedulerEnabled: z.boolean().default(false),
      BatchSchedulerEnabled: z.boolean().default(false),
      ServiceSchedulerEnabled: z.boolean().default(false),
    })
    .prefault({}),
})
/**
 * The placement settings of the cluster, for node pools without their own.
 */
export interface SchedulerConfiguration extends z.infer<typeof SchedulerConfiguration> {}
/**
 * A {@link SchedulerConfiguration} with optional fields: each one has a default.
 */
export interface SchedulerConfigurationInput extends z.input<typeof SchedulerConfiguration> {}

/**
 * The configuration with its indexes.
 */
export interface SchedulerConfigurationFound extends SchedulerConfiguration {
  readonly CreateIndex: number
  readonly ModifyIndex: number
}
