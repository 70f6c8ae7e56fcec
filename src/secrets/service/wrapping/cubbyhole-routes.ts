import { refuse } from '../../../kernel/index.ts'
import { writeExact } from '../../kv2/exact-json.ts'
import { asData, asKeys, operationRoute } from '../core/context.ts'
import { JsonText } from '../core/envelope.ts'
import { readBody } from '../core/exact-body.ts'
import { enveloped, Kept, listsKeys, orNothing } from '../core/reply-shapes.ts'
import { cubbyholeOperations } from './cubbyhole.ts'

/** The routes of the per-token store, relative to its mount. */
export const cubbyholeRoutes = [
  operationRoute({
    id: 'cubbyhole.read',
    method: 'GET',
    path: '/*path',
    summary: 'Read from the cubbyhole of the calling token',
    access: 'read',
    reply: enveloped(Kept),
    ...orNothing,
    run: cubbyholeOperations.read,
    with: ({ params }) => [params.path],
    show: asData((json) => new JsonText(json)),
  }),
  operationRoute({
    id: 'cubbyhole.write',
    method: 'POST',
    path: '/*path',
    summary: 'Write to the cubbyhole of the calling token, which lives as long as the token',
    access: 'create or update',
    refusals: ['missing_fields', 'data_not_a_map', 'data_too_deep'],
    accepts: Kept,
    run: cubbyholeOperations.write,
    with: ({ params, text }) => {
      const body = readBody(text)
      if ('ok' in body) return body
      return body.size === 0
        ? refuse('missing_fields', 'missing data fields')
        : [params.path, writeExact(body)]
    },
  }),
  operationRoute({
    id: 'cubbyhole.delete',
    method: 'DELETE',
    path: '/*path',
    summary: 'Delete from the cubbyhole of the calling token',
    access: 'delete',
    run: cubbyholeOperations.remove,
    with: ({ params }) => [params.path],
  }),
  operationRoute({
    id: 'cubbyhole.list',
    method: 'LIST',
    path: '/*path',
    summary: 'List a folder of the cubbyhole of the calling token',
    access: 'list',
    ...listsKeys,
    run: cubbyholeOperations.list,
    with: ({ params }) => [params.path],
    show: asKeys,
  }),
]
