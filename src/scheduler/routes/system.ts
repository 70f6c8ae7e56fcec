import * as z from 'zod'
import { operations } from '../operations/operations.ts'
import { foundHeaders, writtenHeaders } from '../wire/replies.ts'
import { foundReply, operationRoute, type SchedulerRoute, writtenReply } from './context.ts'

const method = ['PUT', 'POST'] as const
const access = 'management'
const query = z.object({
  region: z.string().optional().describe('forwards the request to a server of that region'),
})

/** The maintenance endpoints of the whole cluster. */
export const systemRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'system.gc',
    method,
    path: '/v1/system/gc',
    summary:
      'Garbage-collect dead jobs, completed evaluations, ended allocations and deployments, and down nodes',
    access,
    query,
    emits: writtenHeaders,
    run: operations.collectGarbage,
    with: ({ context: { token } }) => [{ token }],
    answer: writtenReply,
  }),
  operationRoute({
    id: 'system.reconcile-summaries',
    method,
    path: '/v1/system/reconcile/summaries',
    summary: 'Recount the allocations of every job, and list the summaries that differ',
    description: 'Changes nothing: each commit writes the summary with the allocations.',
    access,
    query,
    reply: z.object({
      Checked: z.int(),
      Differing: z.array(z.object({ Namespace: z.string(), JobID: z.string() })),
    }),
    emits: foundHeaders,
    run: operations.checkSummaries,
    with: ({ context: { token } }) => [{ token }],
    answer: foundReply,
  }),
]
