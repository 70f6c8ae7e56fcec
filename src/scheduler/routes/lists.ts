import { routeOperation } from '../../operation/operation.ts'
import { operations } from '../operations/operations.ts'
import type { ReadCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { replies, stubs } from '../wire/replies.ts'
import type { SchedulerRoute } from './context.ts'
import { type Flag, jobFlags, listOf, nodeFlags, readOf } from './reads.ts'

const allocationLead = 'Failed to parse allocation list fields: '

/** The flags of every list of allocations. */
export const allocationFlags = {
  resources: { about: 'adds AllocatedResources', refusal: 'invalid_fields', lead: allocationLead },
  task_states: {
    about: 'false omits TaskStates',
    otherwise: true,
    refusal: 'invalid_fields',
    lead: allocationLead,
  },
} as const satisfies Readonly<Record<string, Flag>>

/** The flag of what belongs to a job. */
export const incarnationFlags = {
  all: { about: 'adds the objects of earlier jobs with the same ID' },
} as const satisfies Readonly<Record<string, Flag>>

const readEvaluation = routeOperation({
  refuses: operations.readEvaluation.refuses,
  run: async (cluster: Cluster, id: string, call: ReadCall, related: boolean) =>
    related
      ? operations.readRelatedEvaluations.run(cluster, id, call)
      : operations.readEvaluation.run(cluster, id, call),
})

/** Lists and single reads of what the cluster holds. */
export const listRoutes: readonly SchedulerRoute[] = [
  listOf({
    id: 'jobs.list',
    path: '/v1/jobs',
    summary: 'List jobs',
    access: 'namespace:list-jobs',
    run: operations.listJobs,
    reply: stubs.Job,
    prefix: true,
    flags: jobFlags,
    with: (_, call, { meta }) => [Object.assign(call, { meta })],
  }),
  readOf({
    id: 'jobs.read',
    path: '/v1/job/:job_id',
    summary: 'Read a job',
    access: 'namespace:read-job',
    run: operations.readJob,
    reply: replies.Job,
    with: ({ job_id }, call) => [job_id, call],
  }),
  readOf({
    id: 'jobs.summary',
    path: '/v1/job/:job_id/summary',
    summary: "Read a job's summary",
    access: 'namespace:read-job',
    run: operations.readJobSummary,
    reply: replies.JobSummary,
    with: ({ job_id }, call) => [job_id, call],
  }),
  listOf({
    id: 'nodes.list',
    path: '/v1/nodes',
    summary: 'List nodes',
    access: 'node:read',
    run: operations.listNodes,
    reply: stubs.Node,
    prefix: true,
    flags: nodeFlags,
    with: (_, call, flags) => [Object.assign(call, flags)],
  }),
  readOf({
    id: 'nodes.read',
    path: '/v1/node/:node_id',
    summary: 'Read a node',
    access: 'node:read',
    run: operations.readNode,
    reply: replies.Node,
    with: ({ node_id }, call) => [node_id, call],
  }),
  listOf({
    id: 'deployments.list',
    path: '/v1/deployments',
    summary: 'List deployments, oldest first',
    access: 'namespace:read-job',
    run: operations.listDeployments,
    reply: replies.Deployment,
    prefix: true,
    with: (_, call) => [call],
  }),
  readOf({
    id: 'deployments.read',
    path: '/v1/deployment/:deployment_id',
    summary: 'Read a deployment',
    access: 'namespace:read-job',
    run: operations.readDeployment,
    reply: replies.Deployment,
    with: ({ deployment_id }, call) => [deployment_id, call],
  }),
  listOf({
    id: 'allocations.list',
    path: '/v1/allocations',
    summary: 'List allocations, oldest first',
    access: 'namespace:read-job',
    run: operations.listAllocations,
    reply: stubs.Allocation,
    prefix: true,
    flags: allocationFlags,
    with: (_, call, { resources, task_states: taskStates }) => [
      Object.assign(call, { resources, taskStates }),
    ],
  }),
  readOf({
    id: 'allocations.read',
    path: '/v1/allocation/:alloc_id',
    summary: 'Read an allocation',
    access: 'namespace:read-job',
    run: operations.readAllocation,
    reply: replies.Allocation,
    with: ({ alloc_id }, call) => [alloc_id, call],
  }),
  listOf({
    id: 'evaluations.list',
    path: '/v1/evaluations',
    summary: 'List evaluations, oldest first',
    access: 'namespace:read-job',
    run: operations.listEvaluations,
    reply: replies.Evaluation,
    prefix: true,
    texts: { job: 'only those of this job', status: 'only those of this status' },
    with: (_, call, __, { job, status }) => [Object.assign(call, { job, status })],
  }),
  readOf({
    id: 'evaluations.read',
    path: '/v1/evaluation/:eval_id',
    summary: 'Read an evaluation',
    access: 'namespace:read-job',
    run: readEvaluation,
    reply: replies.EvaluationWithRelated,
    flags: { related: { about: 'adds related evaluations as RelatedEvals' } },
    with: ({ eval_id }, call, { related }) => [eval_id, call, related],
  }),
  listOf({
    id: 'jobs.allocations',
    path: '/v1/job/:job_id/allocations',
    summary: 'List the allocations of a job',
    access: 'namespace:read-job',
    run: operations.listJobAllocations,
    reply: stubs.Allocation,
    prefix: true,
    flags: { ...allocationFlags, ...incarnationFlags },
    with: ({ job_id }, call, { resources, task_states: taskStates, all }) => [
      job_id,
      Object.assign(call, { resources, taskStates, all }),
    ],
  }),
  listOf({
    id: 'jobs.evaluations',
    path: '/v1/job/:job_id/evaluations',
    summary: "List a job's evaluations",
    access: 'namespace:read-job',
    run: operations.listJobEvaluations,
    reply: replies.Evaluation,
    prefix: true,
    with: ({ job_id }, call) => [job_id, call],
  }),
  listOf({
    id: 'jobs.deployments',
    path: '/v1/job/:job_id/deployments',
    summary: "List a job's deployments",
    access: 'namespace:read-job',
    run: operations.listJobDeployments,
    reply: replies.Deployment,
    prefix: true,
    flags: incarnationFlags,
    with: ({ job_id }, call, { all }) => [job_id, Object.assign(call, { all })],
  }),
  listOf({
    id: 'nodes.allocations',
    path: '/v1/node/:node_id/allocations',
    summary: 'List the allocations on a node',
    access: 'node:read and namespace:read-job',
    run: operations.listNodeAllocations,
    reply: stubs.Allocation,
    prefix: true,
    flags: allocationFlags,
    with: ({ node_id }, call, { resources, task_states: taskStates }) => [
      node_id,
      Object.assign(call, { resources, taskStates }),
    ],
  }),
]
