import * as z from 'zod'
import { route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { answerDone, answerKeys, answerTwice, type SecretsContext } from '../core/context.ts'
import { body, booleanField, secondsField, textField } from '../core/fields.ts'
import { listsKeys, twice } from '../core/reply-shapes.ts'
import { timeText } from '../core/time-text.ts'

const at = route<SecretsContext>()

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
const missing = () => refuse('lease_missing', 'lease_id must be specified')

/** The routes about leases. Only tokens have leases here; they are renewed through the token store. */
export const leaseRoutes = [
  at({
    id: 'sys.lookup-lease',
    method: 'POST',
    path: '/leases/lookup',
    summary: 'Look up a lease',
    access: 'update',
    body: LeaseBody,
    refusals: ['lease_missing', 'lease_unknown'],
    reply: Lease,
    handle: async ({ context, body }) => {
      if (!body.lease_id) return missing()
      const found = await context.services.leases.find(context.namespace, body.lease_id)
      if (found === undefined) return refuse('lease_unknown', 'invalid lease')
      const token = context.services.tokens.view(found)
      return answerTwice(context, {
        id: body.lease_id,
        issue_time: timeText(token.createdAt),
        expire_time: token.expiresAt === null ? null : timeText(token.expiresAt),
        last_renewal: token.lastRenewedAt === null ? null : timeText(token.lastRenewedAt),
        renewable: token.renewable,
        ttl: token.ttlSeconds,
      })
    },
  }),
  ...listPaths.map((path) =>
    at({
      id: `${idOf(path)}-list`,
      method: 'LIST',
      path,
      summary: 'List the leases below a path',
      access: 'list and sudo',
      ...listsKeys,
      handle: async ({ context, params }) =>
        answerKeys(context, await context.services.leases.list(context.namespace, lastOf(params))),
    }),
  ),
  ...renewPaths.map((path) =>
    at({
      id: idOf(path),
      method: 'POST',
      path,
      summary: 'Renew a lease; that of a token is renewed at auth/token/renew',
      access: 'update',
      body: LeaseBody,
      refusals: ['lease_missing', 'lease_unknown', 'lease_of_token'],
      handle: async ({ context, params, body }) => {
        const leaseId = lastOf(params) || body.lease_id || ''
        if (leaseId === '') return missing()
        const found = await context.services.leases.find(context.namespace, leaseId)
        return found === undefined
          ? refuse('lease_unknown', 'lease not found')
          : refuse('lease_of_token', 'tokens cannot be renewed through this endpoint')
      },
    }),
  ),
  ...revokePaths.map((path) =>
    at({
      id: idOf(path),
      method: 'POST',
      path,
      summary:
        'Revoke a lease, including its token and the descendants of the token; an unknown lease is not an error',
      access: 'update',
      body: LeaseBody,
      success: 204,
      refusals: ['lease_missing', 'not_revocable'],
      handle: async ({ context, params, body }) => {
        const leaseId = lastOf(params) || body.lease_id || ''
        if (leaseId === '') return missing()
        const found = await context.services.leases.find(context.namespace, leaseId)
        const ended = found && (await context.services.tokens.revoke(found))
        return ended && !ended.ok ? ended : answerDone(context)
      },
    }),
  ),
  ...prefixPaths.map((path) =>
    at({
      id: idOf(path),
      method: 'POST',
      path,
      summary: 'Revoke all leases below a path, such as all tokens of a login or a role',
      access: 'update and sudo',
      success: 204,
      refusals: ['not_revocable'],
      handle: async ({ context, params }) => {
        const ended = await context.services.leases.revokeBelow(context.namespace, lastOf(params))
        return ended.ok ? answerDone(context) : ended
      },
    }),
  ),
]
