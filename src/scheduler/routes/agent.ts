import * as z from 'zod'
import { reply } from '../../http/index.ts'
import { operations } from '../operations/operations.ts'
import { AgentReply, MembersReply } from '../wire/replies.ts'
import { route, type SchedulerRoute } from './context.ts'

const HealthReply = z.object({ server: z.object({ ok: z.boolean(), message: z.string() }) })

/** Public information about the servers: without an index, so that clients cannot wait on it. */
export const agentRoutes: readonly SchedulerRoute[] = [
  route({
    id: 'agent.members',
    method: 'GET',
    path: '/v1/agent/members',
    summary: 'List the servers of the cluster',
    access: 'node:read',
    reply: MembersReply,
    runs: [operations.listMembers],
    handle: async ({ context }) => {
      const members = await context.scheduler.listMembers({ token: context.token })
      return members.ok ? reply(members.value) : members
    },
  }),
  route({
    id: 'agent.self',
    method: 'GET',
    path: '/v1/agent/self',
    summary: 'Read the configuration and state of this server',
    access: 'agent:read',
    reply: AgentReply,
    runs: [operations.readAgent],
    handle: async ({ context }) => {
      const self = await context.scheduler.readAgent({ token: context.token })
      return self.ok ? reply(self.value) : self
    },
  }),
  route({
    id: 'agent.health',
    method: 'GET',
    path: '/v1/agent/health',
    summary: 'Check whether this server is ready: 500 while it knows no leader',
    reply: HealthReply,
    also: { 500: { description: 'no leader is known', reply: HealthReply } },
    handle: async ({ context }) => {
      const ok = (await context.scheduler.readLeader()) !== ''
      const server = { ok, message: ok ? 'ok' : 'No cluster leader' }
      return reply({ server }, { status: ok ? 200 : 500 })
    },
  }),
  route({
    id: 'status.leader',
    method: 'GET',
    path: '/v1/status/leader',
    summary: "Read the leader's address",
    reply: z.string(),
    handle: async ({ context }) => reply(await context.scheduler.readLeader()),
  }),
  route({
    id: 'status.peers',
    method: 'GET',
    path: '/v1/status/peers',
    summary: 'List the addresses of the servers',
    reply: z.array(z.string()),
    handle: async ({ context }) => reply(await context.scheduler.listPeers()),
  }),
  route({
    id: 'regions',
    method: 'GET',
    path: '/v1/regions',
    summary: 'List the regions',
    reply: z.array(z.string()),
    handle: async ({ context }) => reply(await context.scheduler.listRegions()),
  }),
]
