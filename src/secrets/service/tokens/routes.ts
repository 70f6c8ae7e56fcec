import type * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import { operationRoute } from '../../../http/route.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { lookupToken } from '../../tokens/index.ts'
import { answerDone, answerWith, asKeys, type SecretsContext } from '../core/context.ts'
import type { Caller } from '../core/core.ts'
import { isRefused } from '../core/core.ts'
import { Login, listsKeys, mayWarn } from '../core/reply-shapes.ts'
import { tidies } from '../core/tidy.ts'
import { tokenCreateRoutes } from './create-routes.ts'
import { findToken } from './find-token.ts'
import { tokenOperations } from './operations.ts'
import { renew } from './renew.ts'
import { LookupReply, TokenQuery } from './replies.ts'
import { revokeAlone, revokeToken } from './revocation.ts'
import { tokenRoleRoutes } from './role-routes.ts'
import { authWire, NameBody, tokenWire } from './wire.ts'

const at = route<SecretsContext>()
const runs = operationRoute<SecretsContext>()

const naming = ['permission_denied', 'token_missing', 'token_not_found', 'bad_accessor'] as const
type NamingRefusal = (typeof naming)[number]

const denied = () => refuse('permission_denied', 'permission denied')
const tokenMissing = () => refuse('token_missing', 'missing token ID')
const badAccessor = () => refuse('bad_accessor', 'invalid accessor')

/** Looks up a token, by default that of the caller. */
async function lookup(
  context: SecretsContext,
  given: string | undefined,
): Promise<Reply | Refused<'permission_denied' | 'bad_token'>> {
  const text = given || context.caller?.text
  if (!text) return denied()
  const found = await findToken(context.core, { token: text }, context.namespace)
  return found
    ? answerWith(context, { data: tokenWire(lookupToken(found, context.core.env().now), text) })
    : refuse('bad_token', 'bad token')
}

/** How a request identifies its token: the calling one, or one in the body. */
const ways = [
  { by: 'self', suffix: '-self', whose: 'the calling token' },
  { by: 'token', suffix: '', whose: 'a token' },
  { by: 'accessor', suffix: '-accessor', whose: 'a token by its accessor' },
] as const

/** The valid token that a request refers to. Only its sender knows the text. */
async function named(
  { caller, core, namespace }: SecretsContext,
  by: (typeof ways)[number]['by'],
  { token: text = '', accessor = '' }: z.output<typeof NameBody>,
): Promise<Caller | Refused<NamingRefusal>> {
  if (by === 'self') return caller ?? denied()
  if (by === 'token' && text === '') return tokenMissing()
  const found = await findToken(core, by === 'token' ? { token: text } : { accessor }, namespace)
  if (found) return { token: found, text: by === 'token' ? text : '' }
  return by === 'token' ? refuse('token_not_found', 'token not found') : badAccessor()
}

/** The routes of the token store, relative to it. */
export const tokenRoutes = [
  ...tokenCreateRoutes,
  at({
    id: 'token.lookup-self',
    method: ['GET', 'POST'],
    path: '/lookup-self',
    summary: 'Look up the calling token',
    access: 'read',
    refusals: ['permission_denied'],
    reply: LookupReply,
    handle: ({ context }) =>
      context.caller
        ? answerWith(context, {
            data: tokenWire(lookupToken(context.caller.token, context.core.env().now), context.caller.text),
          })
        : denied(),
  }),
  at({
    id: 'token.lookup',
    method: 'POST',
    path: '/lookup',
    summary: 'Look up a token',
    access: 'update',
    body: NameBody,
    refusals: ['permission_denied', 'bad_token'],
    reply: LookupReply,
    handle: ({ context, body }) => lookup(context, body.token),
  }),
  at({
    id: 'token.lookup-by-query',
    method: 'GET',
    path: '/lookup',
    summary: 'Look up a token, or the calling one',
    access: 'read',
    refusals: ['permission_denied', 'bad_token'],
    query: TokenQuery,
    reply: LookupReply,
    handle: ({ context, query }) => lookup(context, query.token),
  }),
  at({
    id: 'token.lookup-accessor',
    method: 'POST',
    path: '/lookup-accessor',
    summary: 'Look up a token by its accessor',
    access: 'update',
    body: NameBody,
    refusals: ['bad_accessor', 'accessor_missing'],
    reply: LookupReply,
    handle: async ({ context, body }) => {
      if (!body.accessor) return refuse('accessor_missing', 'missing accessor')
      const found = await findToken(context.core, { accessor: body.accessor }, context.namespace)
      return found
        ? answerWith(context, { data: tokenWire(lookupToken(found, context.core.env().now), '') })
        : badAccessor()
    },
  }),
  ...ways.map(({ by, suffix, whose }) =>
    at({
      id: `token.renew${suffix}`,
      method: 'POST',
      path: `/renew${suffix}`,
      summary: `Renew ${whose}`,
      access: 'update',
      body: NameBody,
      runs: [tokenOperations.renew],
      refusals: naming,
      reply: Login,
      handle: async ({
        context,
        body,
      }): Promise<Reply | Refused<NamingRefusal | (typeof tokenOperations.renew.refuses)[number]>> => {
        const one = await named(context, by, body)
        if (isRefused(one)) return one
        const result = await renew(context.core, one.token, body.increment ?? 0)
        if (!result.ok) return result
        const { token, warnings, ttlSeconds } = result.value
        return answerWith(context, { auth: authWire(token, one.text, ttlSeconds), warnings })
      },
    }),
  ),
  ...ways.map(({ by, suffix, whose }) =>
    at({
      id: `token.revoke${suffix}`,
      method: 'POST',
      path: `/revoke${suffix}`,
      summary: `Revoke ${whose}, and all its descendants`,
      access: 'update',
      body: NameBody,
      ...mayWarn,
      runs: [tokenOperations.revoke],
      refusals: naming,
      handle: async ({ context, body }): Promise<Reply | Refused<NamingRefusal | 'not_revocable'>> => {
        const one = await named(context, by, body)
        // A token that is already invalid is a success.
        if (isRefused(one)) {
          if (one.refusal.code === 'token_not_found') return answerDone(context)
          if (one.refusal.code === 'bad_accessor')
            return answerDone(context, ['No token found with this accessor'])
          return one
        }
        const result = await revokeToken(context.core, one.token)
        return result.ok ? answerDone(context) : result
      },
    }),
  ),
  at({
    id: 'token.revoke-orphan',
    method: 'POST',
    path: '/revoke-orphan',
    summary: 'Revoke a token without its children, which become orphans',
    access: 'update and sudo',
    body: NameBody,
    success: 204,
    runs: [tokenOperations.revoke],
    refusals: ['token_missing', 'token_not_found', 'sudo_needed'],
    handle: async ({ context, body }) => {
      if (!body.token) return tokenMissing()
      if (!context.sudo) return refuse('sudo_needed', 'root or sudo privileges required to revoke and orphan')
      const found = await findToken(context.core, { token: body.token }, context.namespace)
      if (!found) return refuse('token_not_found', 'token to revoke not found')
      const result = await revokeAlone(context.core, found)
      return result.ok ? answerDone(context) : result
    },
  }),
  runs({
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
  runs({
    id: 'token.tidy',
    method: 'POST',
    path: '/tidy',
    summary: 'Delete the leftovers of expired and revoked tokens',
    access: 'update',
    ...tidies,
  }),
]
