import * as z from 'zod'
import { type Call, reply } from '../../http/index.ts'
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
  HistoryBody,
  IssueTokenBody,
  OrganizationBody,
  OrganizationChanges,
  TokenQuery,
  UserBody,
  UserChanges,
} from '../wire/bodies.ts'
import { IssuedToken, NewUserReply, OrganizationReply, UserReply } from '../wire/replies.ts'
import { access, type CatalogContext, operationRoute, writing } from './context.ts'

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
  operationRoute({
    id: `plinth.${path}.list`,
    method: 'GET',
    path: `${root}/${path}`,
    summary: `List the ${path}, as an administrator`,
    ...administering,
    refusals: ['invalid_page'],
    query: AccountsQuery,
    reply: z.object({ [path]: z.array(Item), total: z.int() }),
    run: administratorOperations.listAccounts,
    with: ({ query }) => {
      const page = readPage(query, { defaultLimit: 100, maxLimit: 100 })
      if (!page.ok) return page
      const { limit } = page.value
      return [{ kind, offset: (page.value.page - 1) * limit, limit }]
    },
    show: ({ accounts, total }) => reply({ [path]: accounts.map(view), total }),
  })

const deleteRoute = (kind: Account['kind'], path: 'users' | 'organizations') =>
  operationRoute({
    id: `plinth.${path}.delete`,
    method: 'DELETE',
    path: `${root}/${path}/:username`,
    summary: `Delete ${kind === 'user' ? 'a user' : 'an organization'} without boxes, as an administrator`,
    ...administering,
    run: administratorOperations.deleteAccount,
    with: ({ params }) => [params['username'] ?? '', kind],
  })

/** What administrators manage: users, organizations and tokens; and the changes that were made. */
export const administrationRoutes = [
  operationRoute({
    id: 'v2.user.create',
    method: 'POST',
    path: '/api/v2/users',
    summary: 'Create a user (administrators only)',
    ...writing,
    reply: NewUserReply,
    body: UserBody,
    run: administratorOperations.createUser,
    with: ({ body: { user } }) => [user],
    show: ({ username, administrator = false }) => reply({ username, administrator }),
  }),
  listRoute('user', 'users', UserReply, userView),
  operationRoute({
    id: 'plinth.users.update',
    method: 'PUT',
    path: `${root}/users/:username`,
    summary: 'Change the password, the e-mail address or the rights of a user, as an administrator',
    ...administering,
    reply: UserReply,
    body: UserChanges,
    run: administratorOperations.updateUser,
    with: ({ params: { username }, body }) => [{ ...body, username }],
    show: (account) => reply(userView(account)),
  }),
  deleteRoute('user', 'users'),
  listRoute('organization', 'organizations', OrganizationReply, organizationView),
  operationRoute({
    id: 'plinth.organizations.create',
    method: 'POST',
    path: `${root}/organizations`,
    summary: 'Create an organization, as an administrator',
    description: 'Its members are users with the rights of an owner on its boxes.',
    ...administering,
    reply: OrganizationReply,
    body: OrganizationBody,
    run: administratorOperations.createOrganization,
    with: ({ body }) => [body],
    show: (account) => reply(organizationView(account)),
  }),
  operationRoute({
    id: 'plinth.organizations.update',
    method: 'PUT',
    path: `${root}/organizations/:username`,
    summary: 'Change the members of an organization, as an administrator',
    ...administering,
    reply: OrganizationReply,
    body: OrganizationChanges,
    run: administratorOperations.updateOrganization,
    with: ({ params: { username }, body }) => [{ ...body, username }],
    show: (account) => reply(organizationView(account)),
  }),
  deleteRoute('organization', 'organizations'),
  operationRoute({
    id: 'plinth.tokens.create',
    method: 'POST',
    path: `${root}/tokens`,
    summary: 'Create a token for the caller, or for any user as an administrator',
    description:
      'The answer holds the token, this once: the catalog keeps its digest only. With `role` it has no higher one anywhere, with `owners` it is for their boxes only, and with `ttl` it expires.',
    ...writing,
    reply: IssuedToken.extend({ token: z.string() }).meta({ id: 'NewToken' }),
    body: IssueTokenBody,
    run: issuedTokenOperations.issueToken,
    with: ({ context: { caller }, body: { username, description, role, owners, ttl } }) => {
      const own = caller.kind === 'user' ? caller.username : ''
      return [username ?? own, { description, role, owners, ttlMs: ttlMsOf(ttl) }]
    },
    show: (made) =>
      reply({ ...issuedTokenView(made), token: made.token }, { headers: { 'cache-control': 'no-store' } }),
  }),
  operationRoute({
    id: 'plinth.tokens.list',
    method: 'GET',
    path: `${root}/tokens`,
    summary: 'List tokens without their secrets: those of the caller, or of all users for an administrator',
    ...writing,
    query: TokenQuery,
    reply: z.object({ tokens: z.array(IssuedToken) }),
    run: issuedTokenOperations.listTokens,
    with: ({ query }) => [query],
    show: (tokens) => reply({ tokens: tokens.map(issuedTokenView) }),
  }),
  operationRoute({
    id: 'plinth.tokens.revoke',
    method: 'DELETE',
    path: `${root}/tokens/:id`,
    summary: 'Revoke a token by its id: one of the caller, or any as an administrator',
    ...writing,
    run: issuedTokenOperations.revokeToken,
    with: ({ params: { id } }) => [id],
  }),
  operationRoute({
    id: 'plinth.history',
    method: 'PUT',
    path: `${root}/owners/:username/boxes/:name/history`,
    summary: 'Set the dates and the downloads that a box had in another catalog, as an administrator',
    ...administering,
    body: HistoryBody,
    run: administratorOperations.setHistory,
    with: ({ params, body: { created_at: createdAt, downloads, versions } }) => [
      params,
      {
        createdAt,
        downloads,
        versions: versions.map(({ version, created_at, updated_at }) => ({
          version,
          createdAt: created_at,
          updatedAt: updated_at,
        })),
      },
    ],
  }),
  operationRoute({
    id: 'plinth.audit',
    method: 'GET',
    path: `${root}/audit`,
    summary: 'Read the audit trail, newest change first, as an administrator',
    ...administering,
    query: TrailWireQuery,
    reply: TrailReply,
    run: auditOperations.readAudit,
    with: ({ query }) => [trailQueryOf(query)],
    show: (trail) => reply(trailView(trail)),
  }),
]
