import * as z from 'zod'
import { operations } from '../operations/operations.ts'
import { ListQuery, listCall, listRefusals } from '../wire/query.ts'
import { foundHeaders, stubs, writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { askerOf, foundReply, operationRoute, type SchedulerRoute } from './context.ts'
import { contact, jobWrittenReply } from './job-reply.ts'
import { allocationFlags } from './lists.ts'
import { listOf } from './reads.ts'

const DeleteBody = z.object({
  EvalIDs: z.array(z.string()).nullable().default(null),
  Filter: z.string().default(''),
})

/** The routes of the allocations of an evaluation or a deployment, and of the number of evaluations. */
export const evaluationRoutes: readonly SchedulerRoute[] = [
  listOf({
    id: 'evaluations.allocations',
    path: '/v1/evaluation/:eval_id/allocations',
    summary: 'List the allocations that an evaluation placed or updated',
    access: 'namespace:read-job',
    run: operations.listEvaluationAllocations,
    reply: stubs.Allocation,
    prefix: true,
    flags: allocationFlags,
    with: ({ eval_id }, call, { resources, task_states: taskStates }) => [
      eval_id,
      Object.assign(call, { resources, taskStates }),
    ],
  }),
  listOf({
    id: 'deployments.allocations',
    path: '/v1/deployment/allocations/:deployment_id',
    summary: 'List the allocations of a deployment',
    access: 'namespace:read-job',
    run: operations.listDeploymentAllocations,
    reply: stubs.Allocation,
    prefix: true,
    flags: allocationFlags,
    with: ({ deployment_id }, call, { resources, task_states: taskStates }) => [
      deployment_id,
      Object.assign(call, { resources, taskStates }),
    ],
  }),
  operationRoute({
    id: 'evaluations.delete',
    method: 'DELETE',
    path: '/v1/evaluations',
    summary: 'Delete completed evaluations, by their IDs or by a filter',
    access: 'management',
    query: z.object({
      filter: z.string().optional().describe('filter expression over the full evaluations'),
    }),
    accepts: DeleteBody.optional(),
    reply: z.object({ Count: z.int(), ...contact }),
    emits: writtenHeaders,
    refusals: [...bodies, 'invalid_evaluation_choice'],
    run: operations.deleteEvaluations,
    with: ({ context: { token }, query, body }) => {
      const read = readBody(DeleteBody, body ?? {}, 'a deletion of evaluations', 'invalid_evaluation_choice')
      if (!read.ok) return read
      return [{ ids: read.value.EvalIDs ?? [], filter: query.filter ?? read.value.Filter }, { token }]
    },
    answer: jobWrittenReply,
  }),
  operationRoute({
    id: 'evaluations.count',
    method: 'GET',
    path: '/v1/evaluations/count',
    summary: 'Count evaluations',
    access: 'namespace:read-job',
    query: ListQuery.pick({
      namespace: true,
      region: true,
      index: true,
      wait: true,
      stale: true,
      pretty: true,
      filter: true,
    }).extend({
      prefix: z.string().optional().describe('only those whose ID begins with this'),
    }),
    reply: z.object({ Count: z.int() }),
    emits: foundHeaders,
    refusals: listRefusals,
    run: operations.listEvaluations,
    with: ({ context, query, exchange }) => {
      const call = listCall(query, askerOf(context, exchange))
      return call.ok ? [call.value] : call
    },
    answer: (found, call) =>
      foundReply(found.ok ? { ...found, value: { Count: found.value.length } } : found, call),
  }),
]
