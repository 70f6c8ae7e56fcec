import * as z from 'zod'
import { type Refused, refuse } from '../../kernel/index.ts'
import { routeOperation } from '../../operation/operation.ts'
import { operations } from '../operations/operations.ts'
import { PoolSpec } from '../pools/model.ts'
import { replies, stubs, writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { operationRoute, type SchedulerRoute, writtenReply } from './context.ts'
import { deleteOf } from './delete-of.ts'
import { jobFlags, listOf, nodeFlags, readOf } from './reads.ts'

/** A pool as a caller writes it; a missing name is refused with the other rules of names. */
const PoolBody = PoolSpec.extend({ Name: z.string().default('') })

/** Reads the pool of a body, with every check that needs no rights. */
function poolOf(
  body: unknown,
  inPath: string | undefined,
):
  | { readonly ok: true; readonly value: PoolSpec }
  | Refused<'body_empty' | 'body_not_object' | 'pool_name_mismatch' | 'invalid_pool'> {
  const parsed = readBody(PoolBody, body, 'a node pool', 'invalid_pool')
  if (!parsed.ok) return parsed
  if (inPath !== undefined && parsed.value.Name !== inPath)
    return refuse('pool_name_mismatch', 'Node pool name does not match request path')
  return parsed
}

const writePool = (
  path: '/v1/node/pool/:node_pool' | '/v1/node/pool' | '/v1/node/pools',
  id: string,
  summary: string,
) =>
  operationRoute({
    id,
    method: ['POST', 'PUT'],
    path,
    summary,
    access: 'node_pool:write',
    accepts: PoolBody,
    emits: writtenHeaders,
    refusals: [...bodies, 'invalid_pool', 'permission_denied', 'pool_name_mismatch'],
    run: operations.upsertPool,
    with: async ({ context: { cluster, token }, params, body }) => {
      const inPath = 'node_pool' in params ? params.node_pool : undefined
      const pool = poolOf(body, inPath)
      if (pool.ok) return [pool.value, { token }]
      // Where path and body agree, an unauthorised caller learns nothing about the body.
      if (inPath === undefined || pool.refusal.code === 'pool_name_mismatch') return pool
      const may = await operations.mayWritePool.run(await cluster(), inPath, { token })
      return may.ok ? pool : may
    },
    answer: writtenReply,
  })

/** Without this the path would be that of a node called "pool". */
const readUnnamed = operationRoute({
  id: 'pools.read-unnamed',
  method: 'GET',
  path: '/v1/node/pool',
  summary: 'Refused: a node pool is read by its name',
  run: routeOperation({
    refuses: ['pool_name_empty'],
    run: async () => refuse('pool_name_empty', 'node pool name is empty'),
  }),
})

/** Node pools. */
export const poolRoutes: readonly SchedulerRoute[] = [
  listOf({
    id: 'pools.list',
    path: '/v1/node/pools',
    summary: 'List node pools',
    access: 'node_pool:read',
    run: operations.listPools,
    reply: replies.NodePool,
    prefix: true,
    with: (_, call) => [call],
  }),
  writePool('/v1/node/pools', 'pools.write-listed', 'Create or replace the node pool that the body names'),
  writePool('/v1/node/pool', 'pools.write-named', 'Create or replace the node pool that the body names'),
  readOf({
    id: 'pools.read',
    path: '/v1/node/pool/:node_pool',
    summary: 'Read a node pool',
    access: 'node_pool:read',
    run: operations.readPool,
    reply: replies.NodePool,
    with: ({ node_pool }, call) => [node_pool, call],
  }),
  readUnnamed,
  writePool('/v1/node/pool/:node_pool', 'pools.write', 'Create or replace the node pool of this name'),
  deleteOf({
    id: 'pools.delete',
    path: '/v1/node/pool/:node_pool',
    summary: 'Delete an unused node pool',
    run: operations.deletePool,
    with: ({ node_pool }, call) => [node_pool, call],
  }),
  listOf({
    id: 'pools.nodes',
    path: '/v1/node/pool/:node_pool/nodes',
    summary: 'List the nodes of a pool',
    access: 'node:read and node_pool:read',
    run: operations.listPoolNodes,
    reply: stubs.Node,
    prefix: false,
    flags: nodeFlags,
    with: ({ node_pool }, call, flags) => [node_pool, Object.assign(call, flags)],
  }),
  listOf({
    id: 'pools.jobs',
    path: '/v1/node/pool/:node_pool/jobs',
    summary: 'List the jobs of a pool',
    access: 'namespace:read-job and node_pool:read',
    run: operations.listPoolJobs,
    reply: stubs.PoolJob,
    prefix: false,
    flags: jobFlags,
    with: ({ node_pool }, call, { meta }) => [node_pool, Object.assign(call, { meta })],
  }),
]
