import { route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { leaseSecondsOf } from '../../kv1/read-entry.ts'
import { writeExact } from '../../kv2/exact-json.ts'
import { answerDone, answerKeys, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { JsonText } from '../core/envelope.ts'
import { readBody } from '../core/exact-body.ts'
import { enveloped, Kept, listsKeys, orNothing, PageQuery } from '../core/reply-shapes.ts'
import { plainKvOperations } from './plain-operations.ts'

const at = route<SecretsContext>()

/** The routes of a version 1 key/value mount, relative to it. */
export const kv1Routes = [
  at({
    id: 'kv1.read',
    method: 'GET',
    path: '/*path',
    summary: 'Read a secret',
    access: 'read',
    runs: [plainKvOperations.read],
    reply: enveloped(Kept),
    ...orNothing,
    handle: async ({ context, params }) => {
      const result = await context.services.plain.read(context, params.path)
      if (!result.ok) return result
      const entry = result.value
      if (!entry) return notFound
      return answerWith(context, { data: new JsonText(entry.json), lease_duration: leaseSecondsOf(entry) })
    },
  }),
  at({
    id: 'kv1.write',
    method: 'POST',
    path: '/*path',
    summary: 'Write a secret, replacing the previous one',
    access: 'create or update',
    success: 204,
    runs: [plainKvOperations.write],
    accepts: Kept,
    handle: async ({ context, params, text }) => {
      const body = readBody(text)
      if ('ok' in body) return body
      if (params.path !== '' && body.size === 0) return refuse('missing_fields', 'missing data fields')
      const result = await context.services.plain.write(context, params.path, writeExact(body))
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'kv1.delete',
    method: 'DELETE',
    path: '/*path',
    summary: 'Delete a secret',
    access: 'delete',
    success: 204,
    runs: [plainKvOperations.remove],
    handle: async ({ context, params }) => {
      const result = await plainKvOperations.remove.run(context, params.path)
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'kv1.list',
    method: ['LIST', 'SCAN'],
    path: '/*path',
    summary: 'List the secrets and folders in a folder',
    description:
      '`SCAN`, or `scan=true`, lists all secrets below instead, and requires the capability `scan`.',
    access: 'list (scan: scan)',
    query: PageQuery,
    runs: [plainKvOperations.list],
    ...listsKeys,
    handle: async ({ context, params }) => {
      const deep = context.operation === 'scan'
      const result = await context.services.plain.list(context, params.path, { ...context.page, deep })
      return result.ok ? answerKeys(context, result.value) : result
    },
  }),
]
