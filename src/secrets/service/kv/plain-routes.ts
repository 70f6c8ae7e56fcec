import { refuse } from '../../../kernel/index.ts'
import { answerWith, asKeys, notFound, operationRoute } from '../core/context.ts'
import { JsonText } from '../core/envelope.ts'
import { enveloped, Kept, listsKeys, orNothing, PageQuery } from '../core/reply-shapes.ts'
import { leaseSecondsAt, plainKvOperations, plainTextOperations } from './plain-operations.ts'
import { rewritten } from './secret-data.ts'

/** The routes of a version 1 key/value mount, relative to it. */
export const kv1Routes = [
  operationRoute({
    id: 'kv1.read',
    method: 'GET',
    path: '/*path',
    summary: 'Read a secret',
    access: 'read',
    reply: enveloped(Kept),
    ...orNothing,
    run: plainTextOperations.read,
    with: ({ params }) => [params.path],
    show: (entry, { context }) =>
      entry
        ? answerWith(context, {
            data: new JsonText(entry.json),
            lease_duration: leaseSecondsAt(context, entry),
          })
        : notFound,
  }),
  operationRoute({
    id: 'kv1.write',
    method: 'POST',
    path: '/*path',
    summary: 'Write a secret, replacing the previous one',
    access: 'create or update',
    refusals: ['data_not_a_map', 'data_too_deep', 'missing_fields'],
    accepts: Kept,
    run: plainTextOperations.write,
    with: async ({ params, text }) => {
      const json = await rewritten(text)
      if (typeof json !== 'string') return json
      return params.path !== '' && json === '{}'
        ? refuse('missing_fields', 'missing data fields')
        : [params.path, json]
    },
  }),
  operationRoute({
    id: 'kv1.delete',
    method: 'DELETE',
    path: '/*path',
    summary: 'Delete a secret',
    access: 'delete',
    run: plainKvOperations.remove,
    with: ({ params }) => [params.path],
  }),
  operationRoute({
    id: 'kv1.list',
    method: ['LIST', 'SCAN'],
    path: '/*path',
    summary: 'List the secrets and folders in a folder',
    description:
      '`SCAN`, or `scan=true`, lists all secrets below instead, and requires the capability `scan`.',
    access: 'list (scan: scan)',
    query: PageQuery,
    ...listsKeys,
    run: plainTextOperations.list,
    with: ({ context, params }) => [params.path, { ...context.page, deep: context.operation === 'scan' }],
    show: asKeys,
  }),
]
