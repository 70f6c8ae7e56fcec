import type { Allocation } from '../../allocations/model.ts'
import { type AllocationStub, type AllocationStubFields, allocationStub } from '../../allocations/stub.ts'
import type { Deployment } from '../../deployments/model.ts'
import type { Evaluation } from '../../evaluations/model.ts'
import { type JobStubFields, jobStub, poolJobStub } from '../../jobs/stub.ts'
import type { Node } from '../../nodes/model.ts'
import { type NodeStubFields, nodeStub } from '../../nodes/stub.ts'
import type { JobRow } from '../../records/tables.ts'
import { stubsOf } from './stubs.ts'

/** The list forms of the rows of one service. */
export interface ListForms extends ReturnType<typeof listForms> {}

/** @param product - the words under which a node may state its agent's version */
export const listForms = (product: readonly string[]) => ({
  jobs: stubsOf((job: JobRow, fields: JobStubFields) => jobStub(job, job.JobSummary, fields)),
  poolJobs: stubsOf((job: JobRow, fields: JobStubFields) => poolJobStub(job, job.JobSummary, fields)),
  nodes: stubsOf((node: Node, fields: NodeStubFields) => nodeStub(node, fields, product)),
  allocations: stubsOf<Allocation, AllocationStubFields, AllocationStub>(allocationStub),
  deployments: stubsOf((row: Deployment) => row),
  evaluations: stubsOf((row: Evaluation) => row),
})
