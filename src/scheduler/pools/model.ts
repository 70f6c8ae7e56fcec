import * as z from 'zod'
import { int64 } from '../values/int64.ts'
import { mapOf } from '../values/map.ts'

/**
 * The placement settings of a pool; unset fields come from the cluster's configuration.
 */
export const PoolSchedulerConfiguration = z.object({
  /** `binpack`, `spread`, or empty for the cluster's own. */
  SchedulerAlgorithm: z.string().default(''),
  /** `null` takes the cluster's setting. */
  MemoryOversubscriptionEnabled: z.boolean().nullable().default(null),
})
/**
 * The placement settings of a pool; unset fields come from the cluster's configuration.
 */
export interface PoolSchedulerConfiguration extends z.infer<typeof PoolSchedulerConfiguration> {}

/**
 * A node pool as callers write it, without its indexes.
 */
export const PoolSpec = z.object({
  Name: z.string(),
  Description: z.string().default(''),
  /** Not used by the service; for operators and tools. */
  Meta: mapOf(z.string()).nullable().default(null),
  SchedulerConfiguration: PoolSchedulerConfiguration.nullable().default(null),
  /**
   * How long an identity of a node is valid: nanoseconds, or a duration such as `720h0m0s`. Kept as given: nodes have no
   * identities here.
   */
  NodeIdentityTTL: z.union([int64, z.string()]).optional(),
})
/**
 * A node pool as callers write it, without its indexes.
 */
export interface PoolSpec extends z.infer<typeof PoolSpec> {}
/**
 * A {@link PoolSpec} with optional fields: only the name is required, everything else has a default.
 */
export interface PoolInput extends z.input<typeof PoolSpec> {}

/**
 * A node pool as it is read, filtered and listed.
 */
export const NodePool = PoolSpec.extend({
  CreateIndex: z.int(),
  ModifyIndex: z.int(),
})
/**
 * A node pool as it is read, filtered and listed.
 */
export interface NodePool extends z.infer<typeof NodePool> {}
