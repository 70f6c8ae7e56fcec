import * as z from 'zod'
import { Allocation } from '../allocations/model.ts'
import { Deployment } from '../deployments/model.ts'
import { Evaluation } from '../evaluations/model.ts'
import { allocationWithJob } from '../jobs/allocation-with-job.ts'
import { Job } from '../jobs/model.ts'
import { JobSummary } from '../jobs/summary-model.ts'
import { Node, nodeWithDrain } from '../nodes/model.ts'
import { SchedulerConfiguration } from '../placement/configuration.ts'
import { PlacementMetrics } from '../placement/metrics-model.ts'
import { NodePool } from '../pools/model.ts'
import { int64 } from '../values/int64.ts'

/** Documentation of the answers, by resource; views and routes create them. */

const text = z.string()
const index = z.int()
const JobSummaryReply = JobSummary.meta({ id: 'JobSummary' })

export const replies = {
  Allocation: allocationWithJob.meta({ id: 'Allocation' }),
  Deployment: Deployment.meta({ id: 'Deployment' }),
  Evaluation: Evaluation.meta({ id: 'Evaluation' }),
  EvaluationWithRelated: Evaluation.extend({
    RelatedEvals: z
      .array(Evaluation.omit({ FailedTGAllocs: true, QueuedAllocations: true, SnapshotIndex: true }))
      .optional(),
  }),
  Job: Job.meta({ id: 'Job' }),
  JobSummary: JobSummaryReply,
  Node: nodeWithDrain.meta({ id: 'Node' }),
  NodePool: NodePool.meta({ id: 'NodePool' }),
} as const

const poolJob = Job.pick({
  ID: true,
  ParentID: true,
  Name: true,
  Type: true,
  Priority: true,
  Status: true,
  StatusDescription: true,
  CreateIndex: true,
  ModifyIndex: true,
  JobModifyIndex: true,
}).extend({ JobSummary: JobSummaryReply.nullable(), Meta: Job.shape.Meta.optional() })

const { AllocatedResources, TaskStates } = Allocation.shape

/** The objects in lists. */
export const stubs = {
  PoolJob: poolJob.meta({ id: 'PoolJobStub' }),
  Job: poolJob
    .extend({
      ...Job.pick({ Namespace: true, Datacenters: true, Multiregion: true, SubmitTime: true }).shape,
      Periodic: z.boolean(),
      ParameterizedJob: z.boolean(),
      Stop: z.boolean(),
    })
    .meta({ id: 'JobStub' }),
  Node: Node.pick({
    CreateIndex: true,
    Datacenter: true,
    Drivers: true,
    ID: true,
    LastDrain: true,
    ModifyIndex: true,
    Name: true,
    NodeClass: true,
    NodePool: true,
    SchedulingEligibility: true,
    Status: true,
    StatusDescription: true,
  })
    .extend({
      Address: text,
      Attributes: z.record(text, text).optional(),
      Drain: z.boolean(),
      NodeResources: Node.shape.NodeResources.optional(),
      ReservedResources: Node.shape.ReservedResources.optional(),
      Version: text,
    })
    .meta({ id: 'NodeStub' }),
  Allocation: Allocation.omit({
    AllocatedResources: true,
    Metrics: true,
    TaskStates: true,
    JobCreateIndex: true,
    PreviousAllocation: true,
    DesiredTransition: true,
  })
    .extend({ AllocatedResources: AllocatedResources.optional(), TaskStates: TaskStates.optional() })
    .meta({ id: 'AllocationStub' }),
} as const

/** The index fields in answers of writes, which clients of this service read in the body. */
const contact = { Index: index, LastContact: index, KnownLeader: z.boolean(), NextToken: text }

const evaluated = { EvalID: text, EvalCreateIndex: index }

/** The answers of writes. */
export const written = {
  Job: z
    .object({ ...evaluated, JobModifyIndex: index, Warnings: text, ...contact })
    .meta({ id: 'JobWritten' }),
  JobStopped: z.object({
    ...evaluated,
    JobModifyIndex: index,
    Warnings: text.optional(),
    VolumeEvalID: text,
    VolumeEvalIndex: index,
    ...contact,
  }),
  JobStable: z.object({ JobModifyIndex: index, ...contact }),
  JobDispatched: z.object({ ...evaluated, DispatchedJobID: text, JobCreateIndex: index, ...contact }),
  Deployment: z
    .object({ ...evaluated, DeploymentModifyIndex: index, RevertedJobVersion: index.nullable(), ...contact })
    .meta({ id: 'DeploymentWritten' }),
  Node: z
    .object({ NodeModifyIndex: index, EvalIDs: z.array(text), EvalCreateIndex: index, ...contact })
    .meta({ id: 'NodeWritten' }),
  Allocation: z.object({ EvalID: text, ...contact }),
  Configuration: z.object({ Updated: z.boolean(), ...contact }),
} as const

export const ConfigurationReply = z.object({
  SchedulerConfig: SchedulerConfiguration.extend({ CreateIndex: index, ModifyIndex: index }),
  ...contact,
})

const DiffType = z.enum(['None', 'Added', 'Deleted', 'Edited'])
const annotations = z.array(text).nullable()
const FieldDiff = z.object({ Type: DiffType, Name: text, Old: text, New: text, Annotations: annotations })
const ObjectDiff = z
  .object({
    Type: DiffType,
    Name: text,
    Fields: z.array(FieldDiff),
    get Objects() {
      return z.array(ObjectDiff)
    },
  })
  .meta({ id: 'ObjectDiff' })
const objectDiff = { Type: DiffType, Name: text, Fields: z.array(FieldDiff), Objects: z.array(ObjectDiff) }

/** The differences between two versions of a job. */
export const JobDiffReply = z
  .object({
    Type: DiffType,
    ID: text,
    Fields: z.array(FieldDiff),
    Objects: z.array(ObjectDiff),
    TaskGroups: z.array(
      z.object({
        ...objectDiff,
        Tasks: z.array(z.object({ ...objectDiff, Annotations: annotations })),
        Updates: z.record(text, index).nullable(),
      }),
    ),
  })
  .meta({ id: 'JobDiff' })

const Metrics = PlacementMetrics.meta({ id: 'PlacementMetrics' })

export const PlanReply = z.object({
  JobModifyIndex: index,
  Diff: JobDiffReply.nullable(),
  Annotations: z.object({
    DesiredTGUpdates: z.record(text, z.record(text, index)),
    PreemptedAllocs: z.array(stubs.Allocation),
  }),
  FailedTGAllocs: z.record(text, Metrics).nullable(),
  CreatedEvals: z.array(replies.Evaluation).nullable(),
  NextPeriodicLaunch: text,
  Warnings: text,
  ...contact,
})

export const ScaleStatusReply = z.object({
  JobID: text,
  Namespace: text,
  JobCreateIndex: index,
  JobModifyIndex: index,
  JobStopped: z.boolean(),
  TaskGroups: z.record(
    text,
    z.object({
      Desired: index,
      Placed: index,
      Running: index,
      Healthy: index,
      Unhealthy: index,
      Events: z.array(
        z.object({
          Time: int64,
          Count: index.nullable(),
          PreviousCount: index,
          Error: z.boolean(),
          Message: text,
          Meta: z.record(text, z.json()).nullable(),
          EvalID: text.nullable(),
          CreateIndex: index,
        }),
      ),
    }),
  ),
})

const Member = z.object({
  Name: text,
  Addr: text,
  Port: index,
  Tags: z.record(text, text),
  Status: text,
  ProtocolMin: index,
  ProtocolMax: index,
  ProtocolCur: index,
  DelegateMin: index,
  DelegateMax: index,
  DelegateCur: index,
})
export const MembersReply = z.object({
  ServerName: text,
  ServerRegion: text,
  ServerDC: text,
  Members: z.array(Member),
})
export const AgentReply = z.object({
  config: z.object({
    Region: text,
    Datacenter: text,
    NodeName: text,
    Version: z.object({ Version: text }),
    ACL: z.object({ Enabled: z.boolean() }),
    Server: z.object({ Enabled: z.boolean() }),
  }),
  member: Member,
  stats: z.record(text, z.record(text, text)).describe('by product word, in lower case'),
})

/** The headers of a read, by the part after the product word. */
export const foundHeaders = {
  Index: 'the index of the result; pass it as `index` to wait for changes',
  LastContact: 'milliseconds since the last contact with the leader',
  KnownLeader: 'whether a leader is known',
} as const

/** Those of a list. */
export const listHeaders = {
  ...foundHeaders,
  NextToken: 'the token of the next page; missing on the last page',
} as const

/** Those of a write. */
export const writtenHeaders = { Index: 'the index of the write' } as const
