import * as z from 'zod'
import type { TokenView } from '../../tokens/index.ts'
import { answerTwice, asKeys, operationRoute } from '../core/context.ts'
import { body, booleanField, secondsField, textField } from '../core/fields.ts'
import { listsKeys, twice } from '../core/reply-shapes.ts'
import { timeText } from '../core/time-text.ts'
import { leaseOperations } from './leases.ts'

const text = z.string()
const number = z.int()
const yes = z.boolean()

export const Lease = twice({
  id: text,
  issue_time: text,
  expire_time: text.nullable(),
  last_renewal: text.nullable(),
  renewable: yes,
  ttl: number,
})

const LeaseBody = body({ lease_id: textField, increment: secondsField, sync: booleanField })

/**
 * The paths that clients use, newest first: the lease's ID is in the body or, on the second of each pair, in the path.
 * The path takes precedence over the body, because policies may grant some leases by their paths.
 */
const renewPaths = ['/leases/renew', '/leases/renew/*lease', '/renew', '/renew/*lease'] as const
const revokePaths = ['/leases/revoke', '/leases/revoke/*lease', '/revoke', '/revoke/*lease'] as const
const prefixPaths = [
  '/leases/revoke-prefix/*prefix',
  '/leases/revoke-force/*prefix',
  '/revoke-prefix/*prefix',
  '/revoke-force/*prefix',
] as const
const listPaths = ['/leases/lookup', '/leases/lookup/*prefix'] as const

const idOf = (path: string): string => `sys${path.replaceAll('/', '-').replace('-*', '-of-')}`
const lastOf = (params: Readonly<Record<string, string>>): string => params['lease'] ?? params['prefix'] ?? ''

/** The routes about leases. Only tokens have leases here; they are renewed through the token store. */
export const leaseRoutes = [
  operationRoute({
    id: 'sys.lookup-lease',
    method: 'POST',
    path: '/leases/lookup',
    summary: 'Look up a lease',
    access: 'update',
    body: LeaseBody,
    reply: Lease,
    run: leaseOperations.lookup,
    with: ({ body }) => [body.lease_id ?? ''],
    show: ({ leaseId, token }, { context }) => answerTwice(context, leaseWire(leaseId, token)),
  }),
  ...listPaths.map((path) =>
    operationRoute({
      id: `${idOf(path)}-list`,
      method: 'LIST',
      path,
      summary: 'List the leases below a path',
      access: 'list and sudo',
      ...listsKeys,
      run: leaseOperations.list,
      with: ({ params }) => [lastOf(params)],
      show: asKeys,
    }),
  ),
  ...renewPaths.map((path) =>
    operationRoute({
      id: idOf(path),
      method: 'POST',
      path,
      summary: 'Renew a lease; that of a token is renewed at auth/token/renew',
      access: 'update',
      body: LeaseBody,
      success: 200,
      run: leaseOperations.renew,
      with: ({ params, body }) => [lastOf(params) || body.lease_id || ''],
    }),
  ),
  ...revokePaths.map((path) =>
    operationRoute({
      id: idOf(path),
      method: 'POST',
      path,
      summary:
        'Revoke a lease, including its token and the descendants of the token; an unknown lease is not an error',
      access: 'update',
      body: LeaseBody,
      run: leaseOperations.revoke,
      with: ({ params, body }) => [lastOf(params) || body.lease_id || ''],
    }),
  ),
  ...prefixPaths.map((path) =>
    operationRoute({
      id: idOf(path),
      method: 'POST',
      path,
      summary: 'Revoke all leases below a path, such as all tokens of a login or a role',
      access: 'update and sudo',
      run: leaseOperations.revokeBelow,
      with: ({ params }) => [lastOf(params)],
    }),
  ),
]

const leaseWire = (leaseId: string, token: TokenView) => ({
  id: leaseId,
  issue_time: timeText(token.createdAt),
  expire_time: token.expiresAt === null ? null : timeText(token.expiresAt),
  last_renewal: token.lastRenewedAt === null ? null : timeText(token.lastRenewedAt),
  renewable: token.renewable,
  ttl: token.ttlSeconds,
})
