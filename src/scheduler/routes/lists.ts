import { operations } from '../operations/operations.ts'
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

/** Lists and single reads of what the cluster holds. */
export const listRoutes: readonly SchedulerRoute[] = [
  listOf({
    id: 'jobs.list',
    path: '/v1/jobs',
    summary: 'List jobs',
    access: 'namespace:list-jobs',
    runs: operations.listJobs,
    reply: stubs.Job,
    prefix: true,
    flags: jobFlags,
    list: (scheduler, _, call, { meta }) => scheduler.listJobs(Object.assign(call, { meta })),
  }),
  readOf({
    id: 'jobs.read',
    path: '/v1/job/:job_id',
    summary: 'Read a job',
    access: 'namespace:read-job',
    runs: operations.readJob,
    reply: replies.Job,
    read: (scheduler, { job_id }, call) => scheduler.readJob(job_id, call),
  }),
  readOf({
    id: 'jobs.summary',
    path: '/v1/job/:job_id/summary',
    summary: "Read a job's summary",
    access: 'namespace:read-job',
    runs: operations.readJobSummary,
    reply: replies.JobSummary,
    read: (scheduler, { job_id }, call) => scheduler.readJobSummary(job_id, call),
  }),
  listOf({
    id: 'nodes.list',
    path: '/v1/nodes',
    summary: 'List nodes',
    access: 'node:read',
    runs: operations.listNodes,
    reply: stubs.Node,
    prefix: true,
    flags: nodeFlags,
    list: (scheduler, _, call, flags) => scheduler.listNodes(Object.assign(call, flags)),
  }),
  readOf({
    id: 'nodes.read',
    path: '/v1/node/:node_id',
    summary: 'Read a node',
    access: 'node:read',
    runs: operations.readNode,
    reply: replies.Node,
    read: (scheduler, { node_id }, call) => scheduler.readNode(node_id, call),
  }),
  listOf({
    id: 'deployments.list',
    path: '/v1/deployments',
    summary: 'List deployments, oldest first',
    access: 'namespace:read-job',
    runs: operations.listDeployments,
    reply: replies.Deployment,
    prefix: true,
    list: (scheduler, _, call) => scheduler.listDeployments(call),
  }),
  readOf({
    id: 'deployments.read',
    path: '/v1/deployment/:deployment_id',
    summary: 'Read a deployment',
    access: 'namespace:read-job',
    runs: operations.readDeployment,
    reply: replies.Deployment,
    read: (scheduler, { deployment_id }, call) => scheduler.readDeployment(deployment_id, call),
  }),
  listOf({
    id: 'allocations.list',
    path: '/v1/allocations',
    summary: 'List allocations, oldest first',
    access: 'namespace:read-job',
    runs: operations.listAllocations,
    reply: stubs.Allocation,
    prefix: true,
    flags: allocationFlags,
    list: (scheduler, _, call, { resources, task_states: taskStates }) =>
      scheduler.listAllocations(Object.assign(call, { resources, taskStates })),
  }),
  readOf({
    id: 'allocations.read',
    path: '/v1/allocation/:alloc_id',
    summary: 'Read an allocation',
    access: 'namespace:read-job',
    runs: operations.readAllocation,
    reply: replies.Allocation,
    read: (scheduler, { alloc_id }, call) => scheduler.readAllocation(alloc_id, call),
  }),
  listOf({
    id: 'evaluations.list',
    path: '/v1/evaluations',
    summary: 'List evaluations, oldest first',
    access: 'namespace:read-job',
    runs: operations.listEvaluations,
    reply: replies.Evaluation,
    prefix: true,
    texts: { job: 'only those of this job', status: 'only those of this status' },
    list: (scheduler, _, call, __, { job, status }) =>
      scheduler.listEvaluations(Object.assign(call, { job, status })),
  }),
  readOf({
    id: 'evaluations.read',
    path: '/v1/evaluation/:eval_id',
    summary: 'Read an evaluation',
    access: 'namespace:read-job',
    runs: operations.readEvaluation,
    reply: replies.EvaluationWithRelated,
    flags: { related: { about: 'adds related evaluations as RelatedEvals' } },
    read: (scheduler, { eval_id }, call, { related }) =>
      related ? scheduler.readRelatedEvaluations(eval_id, call) : scheduler.readEvaluation(eval_id, call),
  }),
  listOf({
    id: 'jobs.allocations',
    path: '/v1/job/:job_id/allocations',
    summary: 'List the allocations of a job',
    access: 'namespace:read-job',
    runs: operations.listJobAllocations,
    reply: stubs.Allocation,
    prefix: true,
    flags: { ...allocationFlags, ...incarnationFlags },
    list: (scheduler, { job_id }, call, { resources, task_states: taskStates, all }) =>
      scheduler.listJobAllocations(job_id, Object.assign(call, { resources, taskStates, all })),
  }),
  listOf({
    id: 'jobs.evaluations',
    path: '/v1/job/:job_id/evaluations',
    summary: "List a job's evaluations",
    access: 'namespace:read-job',
    runs: operations.listJobEvaluations,
    reply: replies.Evaluation,
    prefix: true,
    list: (scheduler, { job_id }, call) => scheduler.listJobEvaluations(job_id, call),
  }),
  listOf({
    id: 'jobs.deployments',
    path: '/v1/job/:job_id/deployments',
    summary: "List a job's deployments",
    access: 'namespace:read-job',
    runs: operations.listJobDeployments,
    reply: replies.Deployment,
    prefix: true,
    flags: incarnationFlags,
    list: (scheduler, { job_id }, call, { all }) =>
      scheduler.listJobDeployments(job_id, Object.assign(call, { all })),
  }),
  listOf({
    id: 'nodes.allocations',
    path: '/v1/node/:node_id/allocations',
    summary: 'List the allocations on a node',
    access: 'node:read and namespace:read-job',
    runs: operations.listNodeAllocations,
    reply: stubs.Allocation,
    prefix: true,
    flags: allocationFlags,
    list: (scheduler, { node_id }, call, { resources, task_states: taskStates }) =>
      scheduler.listNodeAllocations(node_id, Object.assign(call, { resources, taskStates })),
  }),
]
