import type * as z from 'zod'
import type { Reply } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { answerWith, asKeys, asWarnings, operationRoute, type SecretsContext } from '../core/context.ts'
import { Login, listsKeys, mayWarn } from '../core/reply-shapes.ts'
import { tidies } from '../core/tidy.ts'
import { tokenCreateRoutes } from './create-routes.ts'
import { type NamedToken, namedTokenOperations, type TokenSeen } from './named-operations.ts'
import { tokenOperations } from './operations.ts'
import { LookupReply, TokenQuery } from './replies.ts'
import { tokenRoleRoutes } from './role-routes.ts'
import { authWire, NameBody, tokenWire } from './wire.ts'

/** The answer of a look-up. */
const looksUp = {
  reply: LookupReply,
  show: ({ view, text }: TokenSeen, { context }: { readonly context: SecretsContext }): Reply =>
    answerWith(context, { data: tokenWire(view, text) }),
} as const

/** How a request names its token: the calling one, or one in the body. */
const ways = [
  { suffix: '-self', whose: 'the calling token', nameIn: (): NamedToken => 'self' },
  { suffix: '', whose: 'a token', nameIn: ({ token = '' }: Names): NamedToken => ({ token }) },
  {
    suffix: '-accessor',
    whose: 'a token by its accessor',
    nameIn: ({ accessor = '' }: Names): NamedToken => ({ accessor }),
  },
] as const
type Names = z.output<typeof NameBody>

/** The routes of the token store, relative to it. */
export const tokenRoutes = [
  ...tokenCreateRoutes,
  operationRoute({
    ...looksUp,
    id: 'token.lookup-self',
    method: ['GET', 'POST'],
    path: '/lookup-self',
    summary: 'Look up the calling token',
    access: 'read',
    run: namedTokenOperations.lookupOwn,
  }),
  operationRoute({
    ...looksUp,
    id: 'token.lookup',
    method: 'POST',
    path: '/lookup',
    summary: 'Look up a token',
    access: 'update',
    body: NameBody,
    run: namedTokenOperations.lookup,
    with: ({ body }) => [body.token],
  }),
  operationRoute({
    ...looksUp,
    id: 'token.lookup-by-query',
    method: 'GET',
    path: '/lookup',
    summary: 'Look up a token, or the calling one',
    access: 'read',
    query: TokenQuery,
    run: namedTokenOperations.lookup,
    with: ({ query }) => [query.token],
  }),
  operationRoute({
    ...looksUp,
    id: 'token.lookup-accessor',
    method: 'POST',
    path: '/lookup-accessor',
    summary: 'Look up a token by its accessor',
    access: 'update',
    body: NameBody,
    refusals: ['accessor_missing'],
    run: namedTokenOperations.lookupByAccessor,
    with: ({ body }) => (body.accessor ? [body.accessor] : refuse('accessor_missing', 'missing accessor')),
  }),
  ...ways.map(({ suffix, whose, nameIn }) =>
    operationRoute({
      id: `token.renew${suffix}`,
      method: 'POST',
      path: `/renew${suffix}`,
      summary: `Renew ${whose}`,
      access: 'update',
      body: NameBody,
      reply: Login,
      run: namedTokenOperations.renew,
      with: ({ body }) => [nameIn(body), body.increment ?? 0],
      show: ({ token, text, ttlSeconds, warnings }, { context }) =>
        answerWith(context, { auth: authWire(token, text, ttlSeconds), warnings }),
    }),
  ),
  ...ways.map(({ suffix, whose, nameIn }) =>
    operationRoute({
      id: `token.revoke${suffix}`,
      method: 'POST',
      path: `/revoke${suffix}`,
      summary: `Revoke ${whose}, and all its descendants`,
      access: 'update',
      body: NameBody,
      ...mayWarn,
      run: namedTokenOperations.revoke,
      with: ({ body }) => [nameIn(body)],
      show: asWarnings,
    }),
  ),
  operationRoute({
    id: 'token.revoke-orphan',
    method: 'POST',
    path: '/revoke-orphan',
    summary: 'Revoke a token without its children, which become orphans',
    access: 'update and sudo',
    body: NameBody,
    refusals: ['token_missing'],
    run: namedTokenOperations.revokeAlone,
    with: ({ body }) => (body.token ? [body.token] : refuse('token_missing', 'missing token ID')),
  }),
  operationRoute({
    id: 'token.accessors',
    method: 'LIST',
    path: '/accessors',
    summary: 'List the accessors of all live tokens',
    access: 'list and sudo',
    ...listsKeys,
    run: tokenOperations.accessors,
    show: asKeys,
  }),
  ...tokenRoleRoutes,
  operationRoute({
    id: 'token.tidy',
    method: 'POST',
    path: '/tidy',
    summary: 'Delete the leftovers of expired and revoked tokens',
    access: 'update',
    ...tidies,
  }),
]
