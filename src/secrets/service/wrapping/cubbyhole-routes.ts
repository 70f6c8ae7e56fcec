import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { asFolder, listKeys } from '../../kv1/index.ts'
import { writeExact } from '../../kv2/exact-json.ts'
import type { Token } from '../../tokens/index.ts'
import { answerDone, answerKeys, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { JsonText } from '../core/envelope.ts'
import { readBody } from '../core/exact-body.ts'
import { enveloped, Kept, listsKeys, orNothing } from '../core/reply-shapes.ts'

const at = route<SecretsContext>()

const refusals = ['permission_denied', 'cubbyhole_batch', 'path_missing', 'path_too_long'] as const
type Answer<Code extends string = never> = Promise<Reply | Refused<(typeof refusals)[number] | Code>>

/** Continues with the calling token, which every route of this mount has. */
const own = <A>(context: SecretsContext, go: (token: Token) => A): A | Refused<'permission_denied'> =>
  context.caller ? go(context.caller.token) : refuse('permission_denied', 'permission denied')

/** The routes of the per-token store, relative to its mount. */
export const cubbyholeRoutes = [
  at({
    id: 'cubbyhole.read',
    method: 'GET',
    path: '/*path',
    summary: 'Read from the cubbyhole of the calling token',
    access: 'read',
    refusals,
    reply: enveloped(Kept),
    ...orNothing,
    handle: ({ context, params }) =>
      own(context, async (token): Answer => {
        const result = await context.services.cubbyhole.read(token, params.path)
        if (!result.ok) return result
        return result.value === undefined
          ? notFound
          : answerWith(context, { data: new JsonText(result.value) })
      }),
  }),
  at({
    id: 'cubbyhole.write',
    method: 'POST',
    path: '/*path',
    summary: 'Write to the cubbyhole of the calling token, which lives as long as the token',
    access: 'create or update',
    success: 204,
    refusals: [...refusals, 'missing_fields', 'data_not_a_map', 'data_too_deep'],
    accepts: Kept,
    handle: ({ context, params, text }) =>
      own(context, async (token): Answer<'missing_fields' | 'data_not_a_map' | 'data_too_deep'> => {
        const body = readBody(text)
        if ('ok' in body) return body
        if (body.size === 0) return refuse('missing_fields', 'missing data fields')
        const result = await context.services.cubbyhole.write(token, params.path, writeExact(body))
        return result.ok ? answerDone(context) : result
      }),
  }),
  at({
    id: 'cubbyhole.delete',
    method: 'DELETE',
    path: '/*path',
    summary: 'Delete from the cubbyhole of the calling token',
    access: 'delete',
    success: 204,
    refusals,
    handle: ({ context, params }) =>
      own(context, async (token): Answer => {
        const result = await context.services.cubbyhole.remove(token, params.path)
        return result.ok ? answerDone(context) : result
      }),
  }),
  at({
    id: 'cubbyhole.list',
    method: 'LIST',
    path: '/*path',
    summary: 'List a folder of the cubbyhole of the calling token',
    access: 'list',
    refusals,
    ...listsKeys,
    handle: ({ context, params }) =>
      own(context, async (token): Answer => {
        const result = await context.services.cubbyhole.paths(token)
        if (!result.ok) return result
        return answerKeys(context, listKeys(result.value, asFolder(params.path)))
      }),
  }),
]
