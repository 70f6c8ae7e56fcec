import * as z from 'zod'
import { fromHex, toBase64 } from '../../../crypto/index.ts'
import { reply } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { nothing } from '../../../operation/operation.ts'
import { operationRoute } from '../core/context.ts'
import { sealOperations, sealRouteOperations } from './operations.ts'
import { Health, InitBody, Initialized, Leader, NewKeys, SealStatus, sealWire, UnsealBody } from './wire.ts'

/** The statuses of an unusable service, unless the request sets others. */
const unhealthy = {
  429: { description: 'a standby', reply: Health },
  472: { description: 'a disaster-recovery secondary', reply: Health },
  473: { description: 'a performance standby', reply: Health },
  501: { description: 'not initialised', reply: Health },
  503: { description: 'sealed', reply: Health },
} as const

const code = z.string().optional()
const flag = z.string().optional().describe('treat such a standby as active')

const HealthQuery = z.object({
  standbyok: flag,
  perfstandbyok: flag,
  activecode: code.describe('the status code of an active server'),
  standbycode: code.describe('the status code of a standby'),
  drsecondarycode: code.describe('the status code of a disaster-recovery secondary'),
  performancestandbycode: code.describe('the status code of a performance standby'),
  sealedcode: code.describe('the status code while sealed'),
  uninitcode: code.describe('the status code while uninitialised'),
})

/** The routes about the seal. They answer while the service is sealed, and most need no token. */
export const sealRoutes = [
  operationRoute({
    id: 'sys.read-init',
    method: 'GET',
    path: '/init',
    summary: 'Check whether the service is initialised',
    access: 'none',
    reply: Initialized,
    run: sealRouteOperations.state,
    show: (state) => reply({ initialized: state !== 'uninitialized' }),
  }),
  operationRoute({
    id: 'sys.init',
    method: 'POST',
    path: '/init',
    summary: 'Initialise the service: create the key shares and the root token',
    access: 'none',
    body: InitBody,
    refusals: ['pgp_unsupported'],
    reply: NewKeys,
    run: sealOperations.initialize,
    with: ({ body }) =>
      // A caller that requests encrypted shares must not get them unencrypted.
      body.pgp_keys?.length || body.root_token_pgp_key
        ? refuse('pgp_unsupported', 'encrypting key shares or the root token with PGP keys is not supported')
        : [{ shares: body.secret_shares ?? 0, threshold: body.secret_threshold ?? 0 }],
    show: ({ unsealKeys, rootToken }) =>
      reply({
        keys: unsealKeys,
        keys_base64: unsealKeys.map((key) => toBase64(fromHex(key) ?? new Uint8Array())),
        root_token: rootToken,
      }),
  }),
  operationRoute({
    id: 'sys.seal-status',
    method: 'GET',
    path: '/seal-status',
    summary: 'Read the seal status and the progress of unsealing',
    access: 'none',
    reply: SealStatus,
    run: sealRouteOperations.status,
    show: (status, { context }) => reply(sealWire(status, context.core)),
  }),
  operationRoute({
    id: 'sys.unseal',
    method: 'POST',
    path: '/unseal',
    summary: 'Provide a key share; the last one needed unseals the service',
    access: 'none',
    body: UnsealBody,
    refusals: ['unseal_key_missing'],
    reply: SealStatus,
    run: sealRouteOperations.unseal,
    with: ({ body }) => {
      if (body.reset) return [undefined]
      return body.key
        ? [body.key]
        : refuse(
            'unseal_key_missing',
            "'key' must be specified in request body as JSON, or 'reset' set to true",
          )
    },
    show: (status, { context }) => reply(sealWire(status, context.core)),
  }),
  operationRoute({
    id: 'sys.seal',
    method: 'POST',
    path: '/seal',
    summary: 'Seal the service',
    access: 'update and sudo',
    run: sealRouteOperations.seal,
  }),
  operationRoute({
    id: 'sys.health',
    method: 'GET',
    path: '/health',
    summary: 'Check the health of the service by status code',
    access: 'none',
    query: HealthQuery,
    reply: Health,
    also: unhealthy,
    run: sealRouteOperations.health,
    with: ({ query }) => [query],
    show: ({ code, status }, { context: { core, env } }) =>
      reply(
        {
          initialized: status.initialized,
          sealed: status.sealed,
          standby: core.role !== 'active',
          performance_standby: core.role === 'performance-standby',
          replication_performance_mode: 'disabled',
          replication_dr_mode: core.role === 'recovery-secondary' ? 'secondary' : 'disabled',
          server_time_utc: Math.floor(env.now / 1000),
          version: core.version,
          ...(status.clusterId === null ? {} : { cluster_id: status.clusterId, cluster_name: 'plinth' }),
        },
        { status: code },
      ),
  }),
  operationRoute({
    id: 'sys.leader',
    method: 'GET',
    path: '/leader',
    summary: 'Read the leader status',
    access: 'none',
    reply: Leader,
    run: nothing,
    show: (_, { context }) =>
      reply({
        ha_enabled: false,
        // The original knows of no leader unless several servers share its storage.
        is_self: false,
        active_time: '0001-01-01T00:00:00Z',
        leader_address: '',
        leader_cluster_address: '',
        performance_standby: context.core.role === 'performance-standby',
        performance_standby_last_remote_wal: 0,
      }),
  }),
]
