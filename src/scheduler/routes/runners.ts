import * as z from 'zod'
import { NodeRecord } from '../nodes/model.ts'
import { operations } from '../operations/operations.ts'
import { RunnerAllocation, RunnerReport } from '../runners/model.ts'
import { ReadQuery, readCall, readRefusals } from '../wire/query.ts'
import { foundHeaders, writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { askerOf, foundReply, type RouteContext, route, type SchedulerRoute } from './context.ts'
import { jobWrittenReply } from './job-reply.ts'

const method = ['PUT', 'POST'] as const
const access = 'the secret of the node'
/** Judged by the secret alone, before a body is read: no policy grants it. */
const before = async ({
  context,
  params,
}: {
  readonly context: RouteContext
  readonly params: { readonly node_id: string }
}) => {
  const may = await context.scheduler.mayRunNode(params.node_id, { token: context.token })
  return may.ok ? undefined : may
}

const RegisterBody = z.object({
  Node: NodeRecord,
  SecretID: z
    .string()
    .default('')
    .describe('the secret by which the runner is known from now on; drawn when left out'),
})
const ReportBody = z.object({ Allocations: z.array(RunnerReport.meta({ id: 'RunnerReport' })) })

const contact = {
  Index: z.int(),
  LastContact: z.int(),
  KnownLeader: z.boolean(),
  NextToken: z.string(),
}
const HeardReply = z.object({ NodeID: z.string(), Status: z.string(), HeartbeatTTLMs: z.int(), ...contact })
const path = '/v1/runner/node/:node_id/allocations'

/** How the runner of a node speaks to the cluster. */
export const runnerRoutes: readonly SchedulerRoute[] = [
  route({
    id: 'runner.register',
    method,
    path: '/v1/runner/node',
    summary: 'Register a node with its runner',
    description:
      'The secret that the runner brings, or that is drawn and answered once, is what it sends as its token from then on. The same call again brings what is known of the node up to date; it takes the same secret.',
    access: 'node:write for a new node, its secret for one that has it',
    before: async ({ context }) => {
      if (context.judge === undefined) return undefined
      const may = await context.scheduler.mayRegisterRunner({ token: context.token })
      return may.ok ? undefined : may
    },
    accepts: RegisterBody.meta({ id: 'RunnerRegistration' }),
    reply: z.object({
      NodeID: z.string(),
      SecretID: z.string().nullable(),
      HeartbeatTTLMs: z.int(),
      ...contact,
    }),
    emits: writtenHeaders,
    runs: [operations.registerRunner],
    refusals: bodies,
    handle: async ({ context, body }) => {
      const read = readBody(RegisterBody, body, 'a registration of a node', 'invalid_node')
      if (!read.ok) return read
      const { Node, SecretID } = read.value
      const { scheduler, token } = context
      const given = SecretID === '' ? undefined : SecretID
      return jobWrittenReply(context, await scheduler.registerRunner(Node, given, { token }))
    },
  }),
  route({
    id: 'runner.heartbeat',
    method,
    path: '/v1/runner/node/:node_id/heartbeat',
    summary: 'Give a sign of life of a node',
    description:
      'A node that stays silent for HeartbeatTTLMs is lost, and what ran on it is placed elsewhere.',
    access,
    before,
    reply: HeardReply,
    emits: writtenHeaders,
    runs: [operations.heartbeatRunner],
    handle: async ({ context, params }) => {
      const { scheduler, token } = context
      return jobWrittenReply(context, await scheduler.heartbeatRunner(params.node_id, { token }))
    },
  }),
  route({
    id: 'runner.leave',
    method,
    path: '/v1/runner/node/:node_id/leave',
    summary: 'Say goodbye: the node is down from now on',
    access,
    before,
    reply: z.object({
      NodeModifyIndex: z.int(),
      EvalIDs: z.array(z.string()),
      EvalCreateIndex: z.int(),
      ...contact,
    }),
    emits: writtenHeaders,
    runs: [operations.leaveRunner],
    handle: async ({ context, params }) => {
      const { scheduler, token } = context
      return jobWrittenReply(context, await scheduler.leaveRunner(params.node_id, { token }))
    },
  }),
  route({
    id: 'runner.allocations',
    method: 'GET',
    path,
    summary: 'List what a node has to run, and to stop; with an index, wait for news',
    access,
    query: ReadQuery.pick({ index: true, wait: true, stale: true, pretty: true, region: true }),
    reply: z.array(RunnerAllocation.meta({ id: 'RunnerAllocation' })),
    emits: foundHeaders,
    runs: [operations.listRunnerAllocations],
    refusals: readRefusals,
    handle: async ({ context, params, query, exchange }) => {
      const call = readCall(query, askerOf(context, exchange))
      if (!call.ok) return call
      return foundReply(context, await context.scheduler.listRunnerAllocations(params.node_id, call.value))
    },
  }),
  route({
    id: 'runner.report',
    method,
    path,
    summary: 'Report how the allocations of a node fare',
    description: 'Nothing is written where one of them is unknown, is on another node, or is over already.',
    access,
    before,
    accepts: ReportBody,
    reply: z.object({ Updated: z.int(), ...contact }),
    emits: writtenHeaders,
    runs: [operations.reportRunnerAllocations],
    refusals: [...bodies, 'invalid_report'],
    handle: async ({ context, params, body }) => {
      const read = readBody(ReportBody, body, 'a report', 'invalid_report')
      if (!read.ok) return read
      const { scheduler, token } = context
      const { Allocations } = read.value
      return jobWrittenReply(
        context,
        await scheduler.reportRunnerAllocations(params.node_id, Allocations, { token }),
      )
    },
  }),
]
