import * as z from 'zod'
import { strict } from '../../operation/known-fields.ts'
import { AclPolicyRecord, AclTokenRecord } from '../acl/model.ts'
import { AllocationRecord } from '../allocations/model.ts'
import { DeploymentRecord } from '../deployments/model.ts'
import { EvaluationRecord } from '../evaluations/model.ts'
import { JobSpec, JobStatus } from '../jobs/model.ts'
import { JobSummaryRecord } from '../jobs/summary-model.ts'
import { NamespaceSpec } from '../namespaces/model.ts'
import { NodeRecord } from '../nodes/model.ts'
import { PoolSpec } from '../pools/model.ts'

const index = z.int().min(1).optional()

/** Indexes of a record in a load file; missing ones are assigned. */
const indexes = { CreateIndex: index, ModifyIndex: index }

/** The scheduler section of a load file: full objects in wire form; missing fields take their defaults. */
export const SchedulerRecords = strict({
  namespaces: z.array(NamespaceSpec.extend(indexes)).default([]),
  pools: z.array(PoolSpec.extend(indexes)).default([]),
  nodes: z.array(NodeRecord.extend(indexes)).default([]),
  jobs: z
    .array(
      JobSpec.extend({
        ...indexes,
        JobModifyIndex: index,
        Status: JobStatus.shape.Status.optional(),
        StatusDescription: z.string().default(''),
        Stable: z.boolean().default(false),
        JobSummary: JobSummaryRecord.partial({ JobID: true }).extend(indexes).nullable().optional(),
      }),
    )
    .default([]),
  deployments: z.array(DeploymentRecord.extend(indexes)).default([]),
  allocations: z.array(AllocationRecord.extend(indexes)).default([]),
  evaluations: z.array(EvaluationRecord.extend(indexes)).default([]),
  policies: z.array(AclPolicyRecord.extend(indexes)).default([]),
  tokens: z
    .array(AclTokenRecord.extend({ ...indexes, AccessorID: z.string().min(1).optional() }))
    .default([]),
})
export interface SchedulerRecords extends z.infer<typeof SchedulerRecords> {}
