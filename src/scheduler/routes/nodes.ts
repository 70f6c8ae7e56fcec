import * as z from 'zod'
import { type Refused, refuse } from '../../kernel/index.ts'
import type { NodeWritten } from '../operations/node-writes.ts'
import { operations } from '../operations/operations.ts'
import type { Written } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { int64 } from '../values/int64.ts'
import { mapOf } from '../values/map.ts'
import { written, writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { operationRoute, type RouteContext, type SchedulerRoute } from './context.ts'
import { jobWrittenReply } from './job-reply.ts'

const DrainBody = z.object({
  NodeID: z.string().default(''),
  DrainSpec: z
    .object({ Deadline: int64.default(0), IgnoreSystemJobs: z.boolean().default(false) })
    .nullable()
    .default(null),
  MarkEligible: z.boolean().default(false),
  Meta: mapOf(z.string()).nullable().default(null),
})
const EligibilityBody = z.object({ NodeID: z.string().default(''), Eligibility: z.string().default('') })

const writing = ['node_unknown', ...bodies, 'invalid_node_request', 'node_id_mismatch'] as const

const mismatch = (named: string, id: string) =>
  named === '' || named === id ? undefined : refuse('node_id_mismatch', 'Node ID does not match request path')

/** Existing services use different statuses for an unknown node in writes and in reads. */
const nodeWrittenReply = <Code extends SchedulerRefusal>(
  written: Written<NodeWritten> | Refused<Code>,
  call: { readonly context: RouteContext },
) =>
  !written.ok && written.refusal.code === 'node_not_found' && call.context.compat
    ? refuse('node_unknown', written.refusal.message)
    : jobWrittenReply(written, call)

const method = ['PUT', 'POST'] as const
const access = 'node:write'

/** The routes of operators for nodes, and for one allocation. */
export const nodeRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'nodes.drain',
    method,
    path: '/v1/node/:node_id/drain',
    summary: 'Start, change or end the drain of a node',
    access,
    accepts: DrainBody,
    reply: written.Node,
    emits: writtenHeaders,
    refusals: writing,
    run: operations.drainNode,
    with: ({ context: { token }, params: { node_id }, body }) => {
      const read = readBody(DrainBody, body, 'a drain', 'invalid_node_request')
      if (!read.ok) return read
      const { NodeID, DrainSpec, MarkEligible, Meta } = read.value
      const wrong = mismatch(NodeID, node_id)
      if (wrong !== undefined) return wrong
      const input = {
        spec: DrainSpec && { deadline: DrainSpec.Deadline, ignoreSystemJobs: DrainSpec.IgnoreSystemJobs },
        markEligible: MarkEligible,
        meta: Meta ?? undefined,
      }
      return [node_id, input, { token }]
    },
    answer: nodeWrittenReply,
  }),
  operationRoute({
    id: 'nodes.eligibility',
    method,
    path: '/v1/node/:node_id/eligibility',
    summary: 'Set the scheduling eligibility of a node',
    access,
    accepts: EligibilityBody,
    reply: written.Node,
    emits: writtenHeaders,
    refusals: [...writing, 'invalid_eligibility'],
    run: operations.setNodeEligibility,
    with: ({ context: { token }, params: { node_id }, body }) => {
      const read = readBody(EligibilityBody, body, 'an eligibility', 'invalid_node_request')
      if (!read.ok) return read
      const { NodeID, Eligibility: given } = read.value
      const wrong = mismatch(NodeID, node_id)
      if (wrong !== undefined) return wrong
      if (given !== 'eligible' && given !== 'ineligible')
        return refuse('invalid_eligibility', `invalid scheduling eligibility "${given}"`)
      return [node_id, given, { token }] as const
    },
    answer: nodeWrittenReply,
  }),
  operationRoute({
    id: 'nodes.evaluate',
    method,
    path: '/v1/node/:node_id/evaluate',
    summary: 'Create evaluations of the jobs on a node',
    access,
    reply: written.Node,
    emits: writtenHeaders,
    refusals: ['node_unknown'],
    run: operations.evaluateNode,
    with: ({ context: { token }, params }) => [params.node_id, { token }],
    answer: nodeWrittenReply,
  }),
  operationRoute({
    id: 'nodes.purge',
    method,
    path: '/v1/node/:node_id/purge',
    summary: 'Delete a node',
    access,
    reply: written.Node,
    emits: writtenHeaders,
    refusals: ['node_unknown'],
    run: operations.purgeNode,
    with: ({ context: { token }, params }) => [params.node_id, { token }],
    answer: nodeWrittenReply,
  }),
  operationRoute({
    id: 'allocations.stop',
    method,
    path: '/v1/allocation/:alloc_id/stop',
    summary: 'Stop an allocation, which is then replaced',
    access: 'namespace:alloc-lifecycle',
    reply: written.Allocation,
    emits: writtenHeaders,
    run: operations.stopAllocation,
    with: ({ context: { token }, params }) => [params.alloc_id, { token }],
    answer: jobWrittenReply,
  }),
]
