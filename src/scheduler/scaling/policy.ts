import * as z from 'zod'
import { isObject } from '../../kernel/objects.ts'
import type { Job } from '../jobs/model.ts'
import { mapOf } from '../values/map.ts'

/**
 * How a task group may be scaled, as its job says.
 */
export const ScalingPolicy = z.object({
  ID: z.string(),
  Namespace: z.string(),
  /** `horizontal`: the count of a task group. */
  Type: z.string(),
  Target: z.object({ Namespace: z.string(), Job: z.string(), Group: z.string() }),
  Min: z.int(),
  Max: z.int(),
  /** The settings of the autoscaler; the scheduler does not read them. */
  Policy: mapOf(z.json()).nullable(),
  Enabled: z.boolean(),
  CreateIndex: z.int(),
  ModifyIndex: z.int(),
})
/**
 * How a task group may be scaled, as its job says.
 */
export interface ScalingPolicy extends z.infer<typeof ScalingPolicy> {}

/**
 * A scaling policy as lists show it.
 */
export const ScalingPolicyStub = ScalingPolicy.pick({
  ID: true,
  Type: true,
  Target: true,
  Enabled: true,
  CreateIndex: true,
  ModifyIndex: true,
})
/**
 * A scaling policy as lists show it.
 */
export interface ScalingPolicyStub extends z.infer<typeof ScalingPolicyStub> {}

/** The scaling policies of a job: one for each group that has a `Scaling`. */
export const scalingPoliciesOf = (job: Job): readonly ScalingPolicy[] =>
  job.TaskGroups.flatMap(({ Name, Count, Scaling }) => {
    if (Scaling === null) return []
    const { Min, Max, Policy, Enabled, Type } = Scaling
    return [
      {
        ID: idOf(job.Namespace, job.ID, Name),
        Namespace: job.Namespace,
        Type: typeof Type === 'string' && Type !== '' ? Type : 'horizontal',
        Target: { Namespace: job.Namespace, Job: job.ID, Group: Name },
        Min: typeof Min === 'number' ? Min : Count,
        Max: typeof Max === 'number' ? Max : Count,
        Policy: isObject(Policy) ? Policy : null,
        Enabled: Enabled !== false,
        CreateIndex: job.CreateIndex,
        ModifyIndex: job.JobModifyIndex,
      },
    ]
  })

export const scalingPolicyStub = ({
  ID,
  Type,
  Target,
  Enabled,
  CreateIndex,
  ModifyIndex,
}: ScalingPolicy): ScalingPolicyStub => ({ ID, Type, Target, Enabled, CreateIndex, ModifyIndex })

/** An ID derived from the policy's target, in the form of a UUID: four hashes of 32 bits (FNV-1a). */
function idOf(...parts: readonly string[]): string {
  const text = JSON.stringify(parts)
  const hex = [0, 1, 2, 3]
    .map((seed) => {
      let hash = 2_166_136_261 ^ Math.imul(seed + 1, 0x9e3779b1)
      for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
      return (hash >>> 0).toString(16).padStart(8, '0')
    })
    .join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
