import * as z from 'zod'
import { type Call, noContent, reply } from '../../http/index.ts'
import type { Refused } from '../../kernel/index.ts'
import { readPage } from '../../paging/index.ts'
import { timeOrNull, ttlMsOf } from '../../token/wire.ts'
import { TrailReply, TrailWireQuery, trailQueryOf, trailView } from '../../trail/read-trail.ts'
import type { Account } from '../accounts/model.ts'
import type { AccountView } from '../accounts/view.ts'
import { administratorOperations } from '../operations/administration.ts'
import { auditOperations } from '../operations/audit.ts'
import { issuedTokenOperations, type ListedToken } from '../operations/tokens.ts'
import { administratorProblem } from '../service/guard.ts'
import {
  AccountsQuery,
  IssueTokenBody,
  OrganizationBody,
  OrganizationChanges,
  TokenQuery,
  UserBody,
  UserChanges,
} from '../wire/bodies.ts'
import { IssuedToken, NewUserReply, OrganizationReply, UserReply } from '../wire/replies.ts'
import { access, answered, type CatalogContext, define, writing } from './context.ts'

/** Not below the paths of the protocol, which clients and other catalogs share. */
const root = '/plinth/v1'

/** For administrators: others are refused before their body is read. */
const administering = {
  access: access.write,
  before: ({
    context,
  }: Pick<Call<CatalogContext, unknown, unknown>, 'context'>):
    | Refused<'unauthenticated' | 'forbidden'>
    | undefined => administratorProblem(context.caller, 'manage accounts'),
}

const time = (at: number): string => new Date(at).toISOString()

const userView = ({
  username,
  email,
  administrator = false,
  createdAt,
}: AccountView): z.infer<typeof UserReply> => ({
  username,
  email,
  administrator,
  created_at: time(createdAt),
})

const organizationView = ({
  username,
  members,
  createdAt,
}: AccountView): z.infer<typeof OrganizationReply> => ({
  username,
  members: Object.keys(members),
  created_at: time(createdAt),
})

const issuedTokenView = ({
  id,
  username,
  description,
  limits,
  createdAt,
  expiresAt,
  lastUsedAt,
}: ListedToken): z.infer<typeof IssuedToken> => ({
  id,
  username,
  description,
  role: limits?.role ?? null,
  owners: limits?.owners ? [...limits.owners] : null,
  created_at: time(createdAt),
  expires_at: timeOrNull(expiresAt),
  last_used_at: timeOrNull(lastUsedAt),
})

/** Lists the accounts of a kind, a page at a time. */
const listRoute = <View extends z.ZodType>(
  kind: Account['kind'],
  path: 'users' | 'organizations',
  Item: View,
  view: (account: AccountView) => z.infer<View>,
) =>
  define({
    id: `plinth.${path}.list`,
    method: 'GET',
    path: `${root}/${path}`,
    summary: `List the ${path}, as an administrator`,
    ...administering,
    runs: [administratorOperations.listAccounts],
    refusals: ['invalid_page'],
    query: AccountsQuery,
    reply: z.object({ [path]: z.array(Item), total: z.int() }),
    handle: async ({ context, query }) => {
      const page = readPage(query, { defaultLimit: 100, maxLimit: 100 })
      if (!page.ok) return page
      const { limit } = page.value
      const offset = (page.value.page - 1) * limit
      return answered(await context.catalog.listAccounts({ kind, offset, limit }), ({ accounts, total }) => ({
        [path]: accounts.map(view),
        total,
      }))
    },
  })

const deleteRoute = (kind: Account['kind'], path: 'users' | 'organizations') =>
  define({
    id: `plinth.${path}.delete`,
    method: 'DELETE',
    path: `${root}/${path}/:username`,
    summary: `Delete ${kind === 'user' ? 'a user' : 'an organization'} without boxes, as an administrator`,
    ...administering,
    runs: [administratorOperations.deleteAccount],
    success: 204,
    handle: async ({ context, params: { username } }) => {
      const deleted = await context.catalog.deleteAccount(username, kind)
      return deleted.ok ? noContent() : deleted
    },
  })

/** What administrators manage: users, organizations and tokens; and the changes that were made. */
export const administrationRoutes = [
  define({
    id: 'v2.user.create',
    method: 'POST',
    path: '/api/v2/users',
    summary: 'Create a user (administrators only)',
    ...writing,
    runs: [administratorOperations.createUser],
    reply: NewUserReply,
    body: UserBody,
    handle: async ({ context, body: { user } }) =>
      answered(await context.catalog.createUser(user), ({ username, administrator = false }) => ({
        username,
        administrator,
      })),
  }),
  listRoute('user', 'users', UserReply, userView),
  define({
    id: 'plinth.users.update',
    method: 'PUT',
    path: `${root}/users/:username`,
    summary: 'Change the password, the e-mail address or the rights of a user, as an administrator',
    ...administering,
    runs: [administratorOperations.updateUser],
    reply: UserReply,
    body: UserChanges,
    handle: async ({ context, params: { username }, body }) =>
      answered(await context.catalog.updateUser({ ...body, username }), userView),
  }),
  deleteRoute('user', 'users'),
  listRoute('organization', 'organizations', OrganizationReply, organizationView),
  define({
    id: 'plinth.organizations.create',
    method: 'POST',
    path: `${root}/organizations`,
    summary: 'Create an organization, as an administrator',
    description: 'Its members are users with the rights of an owner on its boxes.',
    ...administering,
    runs: [administratorOperations.createOrganization],
    reply: OrganizationReply,
    body: OrganizationBody,
    handle: async ({ context, body }) =>
      answered(await context.catalog.createOrganization(body), organizationView),
  }),
  define({
    id: 'plinth.organizations.update',
    method: 'PUT',
    path: `${root}/organizations/:username`,
    summary: 'Change the members of an organization, as an administrator',
    ...administering,
    runs: [administratorOperations.updateOrganization],
    reply: OrganizationReply,
    body: OrganizationChanges,
    handle: async ({ context, params: { username }, body }) =>
      answered(await context.catalog.updateOrganization({ ...body, username }), organizationView),
  }),
  deleteRoute('organization', 'organizations'),
  define({
    id: 'plinth.tokens.create',
    method: 'POST',
    path: `${root}/tokens`,
    summary: 'Create a token for the caller, or for any user as an administrator',
    description:
      'The answer holds the token, this once: the catalog keeps its digest only. With `role` it has no higher one anywhere, with `owners` it is for their boxes only, and with `ttl` it expires.',
    ...writing,
    runs: [issuedTokenOperations.issueToken],
    reply: IssuedToken.extend({ token: z.string() }).meta({ id: 'NewToken' }),
    body: IssueTokenBody,
    handle: async ({ context, body: { username, description, role, owners, ttl } }) => {
      const own = context.caller.kind === 'user' ? context.caller.username : ''
      const details = { description, role, owners, ttlMs: ttlMsOf(ttl) }
      const made = await context.catalog.issueToken(username ?? own, details)
      if (!made.ok) return made
      const { token } = made.value
      return reply({ ...issuedTokenView(made.value), token }, { headers: { 'cache-control': 'no-store' } })
    },
  }),
  define({
    id: 'plinth.tokens.list',
    method: 'GET',
    path: `${root}/tokens`,
    summary: 'List tokens without their secrets: those of the caller, or of all users for an administrator',
    ...writing,
    runs: [issuedTokenOperations.listTokens],
    query: TokenQuery,
    reply: z.object({ tokens: z.array(IssuedToken) }),
    handle: async ({ context, query }) =>
      answered(await context.catalog.listTokens(query), (tokens) => ({
        tokens: tokens.map(issuedTokenView),
      })),
  }),
  define({
    id: 'plinth.tokens.revoke',
    method: 'DELETE',
    path: `${root}/tokens/:id`,
    summary: 'Revoke a token by its id: one of the caller, or any as an administrator',
    ...writing,
    runs: [issuedTokenOperations.revokeToken],
    success: 204,
    handle: async ({ context, params: { id } }) => {
      const revoked = await context.catalog.revokeToken(id)
      return revoked.ok ? noContent() : revoked
    },
  }),
  define({
    id: 'plinth.audit',
    method: 'GET',
    path: `${root}/audit`,
    summary: 'Read the audit trail, newest change first, as an administrator',
    ...administering,
    runs: [auditOperations.readAudit],
    query: TrailWireQuery,
    reply: TrailReply,
    handle: async ({ context, query }) =>
      answered(await context.catalog.readAudit(trailQueryOf(query)), trailView),
  }),
]
