import * as z from 'zod'
import type { Reply } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { operations } from '../operations/operations.ts'
import { Variable, VariableSpec, VariableStub } from '../variables/model.ts'
import { writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { operationRoute, type RouteContext, type SchedulerRoute } from './context.ts'
import { listOf, readOf } from './reads.ts'

/** A variable as a caller writes it: its path is that of the request. */
const VariableBody = VariableSpec.extend({
  Namespace: z.string().default(''),
  Path: z.string().default(''),
  Items: VariableSpec.shape.Items.nullish(),
}).meta({ id: 'VariableSpec' })
const VariableReply = Variable.meta({ id: 'Variable' })

const WriteQuery = z.object({
  namespace: z.string().optional().describe('the namespace; default by default'),
  region: z.string().optional().describe('forwards the request to a server of that region'),
  'lock-operation': z.string().optional().describe('not supported'),
  cas: z.string().optional().describe('the ModifyIndex that the variable must have; 0: it must not exist'),
})

const casOf = ({ cas = '' }: { readonly cas?: string | undefined }) =>
  /^\d{0,15}$/.test(cas)
    ? { ok: true as const, value: cas === '' ? undefined : Number(cas) }
    : refuse('invalid_cas', 'can not parse cas: it must be the ModifyIndex of the variable')

/** A refused check-and-set is answered with what is stored, as far as the caller may read it. */
async function orStored<Code extends string>(
  refused: Refused<Code>,
  { cluster, words, token }: RouteContext,
): Promise<Reply | Refused<Code>> {
  const { code, detail = {} } = refused.refusal
  if (code !== 'cas_mismatch') return refused
  const { Namespace, Path, ModifyIndex } = detail
  const read = await operations.readVariable.run(await cluster(), String(Path), {
    namespace: String(Namespace),
    token,
  })
  const isSame = read.ok && read.value.ModifyIndex === ModifyIndex
  return {
    status: 409,
    headers: words.emit({ Index: String(ModifyIndex) }),
    body: isSame ? read.value : detail,
  }
}

const path = '/v1/var/*path'
const also = {
  409: {
    description: 'the variable has another ModifyIndex: what is stored',
    reply: VariableReply.partial(),
  },
}

/** Variables. */
export const variableRoutes: readonly SchedulerRoute[] = [
  listOf({
    id: 'variables.list',
    path: '/v1/vars',
    summary: 'List the variables that the caller may list, without their items',
    access: 'variables:list',
    run: operations.listVariables,
    reply: VariableStub.meta({ id: 'VariableStub' }),
    prefix: true,
    with: (_, call) => [call],
  }),
  readOf({
    id: 'variables.read',
    path,
    summary: 'Read a variable',
    access: 'variables:read',
    run: operations.readVariable,
    reply: VariableReply,
    with: ({ path }, call) => [path, call],
  }),
  operationRoute({
    id: 'variables.write',
    method: ['PUT', 'POST'],
    path,
    summary: 'Create a variable, or replace all of its items',
    description: 'Variables have no locks.',
    access: 'variables:write',
    query: WriteQuery,
    accepts: VariableBody,
    reply: VariableReply,
    emits: writtenHeaders,
    also,
    refusals: [...bodies, 'invalid_cas', 'invalid_variable', 'unreadable_variable'],
    run: operations.writeVariable,
    with: ({ context: { token }, params, query, body }) => {
      if (query['lock-operation'])
        return refuse('invalid_variable', 'locks of variables are not supported: leave lock-operation out')
      const cas = casOf(query)
      if (cas.ok === false) return cas
      const read = readBody(VariableBody, body, 'a variable', 'unreadable_variable')
      if (!read.ok) return read
      const { Namespace, Items } = read.value
      if (!Items) return refuse('unreadable_variable', 'variable missing required Items object')
      return [
        { Namespace: Namespace || query.namespace || 'default', Path: params.path, Items },
        { token, cas: cas.value },
      ]
    },
    answer: (written, { context }) =>
      written.ok
        ? { headers: context.words.emit({ Index: String(written.index) }), body: written.value }
        : orStored(written, context),
  }),
  operationRoute({
    id: 'variables.delete',
    method: 'DELETE',
    path,
    summary: 'Delete a variable',
    access: 'variables:destroy',
    query: WriteQuery,
    emits: writtenHeaders,
    success: 204,
    also,
    refusals: ['invalid_cas'],
    run: operations.deleteVariable,
    with: ({ context: { token }, params, query }) => {
      const cas = casOf(query)
      return cas.ok === false
        ? cas
        : [params.path, { token, namespace: query.namespace || undefined, cas: cas.value }]
    },
    answer: (deleted, { context }) =>
      deleted.ok
        ? { status: 204, headers: context.words.emit({ Index: String(deleted.index) }) }
        : orStored(deleted, context),
  }),
]
