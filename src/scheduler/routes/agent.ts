import * as z from 'zod'
import { reply } from '../../http/index.ts'
import { operations } from '../operations/operations.ts'
import { AgentReply, MembersReply } from '../wire/replies.ts'
import { operationRoute, type SchedulerRoute } from './context.ts'

const HealthReply = z.object({ server: z.object({ ok: z.boolean(), message: z.string() }) })

/** Public information about the servers: without an index, so that clients cannot wait on it. */
export const agentRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'agent.members',
    method: 'GET',
    path: '/v1/agent/members',
    summary: 'List the servers of the cluster',
    access: 'node:read',
    reply: MembersReply,
    run: operations.listMembers,
    with: ({ context }) => [{ token: context.token }],
    show: (members) => reply(members),
  }),
  operationRoute({
    id: 'agent.self',
    method: 'GET',
    path: '/v1/agent/self',
    summary: 'Read the configuration and state of this server',
    access: 'agent:read',
    reply: AgentReply,
    run: operations.readAgent,
    with: ({ context }) => [{ token: context.token }],
    show: (self) => reply(self),
  }),
  operationRoute({
    id: 'agent.health',
    method: 'GET',
    path: '/v1/agent/health',
    summary: 'Check whether this server is ready: 500 while it knows no leader',
    reply: HealthReply,
    also: { 500: { description: 'no leader is known', reply: HealthReply } },
    run: operations.readLeader,
    answer: (leader) => {
      const ok = leader !== ''
      const server = { ok, message: ok ? 'ok' : 'No cluster leader' }
      return reply({ server }, { status: ok ? 200 : 500 })
    },
  }),
  operationRoute({
    id: 'status.leader',
    method: 'GET',
    path: '/v1/status/leader',
    summary: "Read the leader's address",
    reply: z.string(),
    run: operations.readLeader,
    answer: (leader) => reply(leader),
  }),
  operationRoute({
    id: 'status.peers',
    method: 'GET',
    path: '/v1/status/peers',
    summary: 'List the addresses of the servers',
    reply: z.array(z.string()),
    run: operations.listPeers,
    answer: (peers) => reply(peers),
  }),
  operationRoute({
    id: 'regions',
    method: 'GET',
    path: '/v1/regions',
    summary: 'List the regions',
    reply: z.array(z.string()),
    run: operations.listRegions,
    answer: (regions) => reply(regions),
  }),
]
