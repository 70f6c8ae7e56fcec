import { refuse } from '../../kernel/index.ts'
import { Namespace, NamespaceSpec } from '../namespaces/model.ts'
import { operations } from '../operations/operations.ts'
import { writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { route, type SchedulerRoute, writtenReply } from './context.ts'
import { deleteOf } from './delete-of.ts'
import { listOf, readOf } from './reads.ts'

/** A namespace as a caller writes it; a missing name is that of the path, or refused with the other rules of names. */
const NamespaceBody = NamespaceSpec.extend({ Name: NamespaceSpec.shape.Name.default('') }).meta({
  id: 'NamespaceSpec',
})
const NamespaceReply = Namespace.meta({ id: 'Namespace' })

const write = (
  path: '/v1/namespace/:namespace' | '/v1/namespaces' | '/v1/namespace',
  id: string,
  summary: string,
) =>
  route({
    id,
    method: ['PUT', 'POST'],
    path,
    summary,
    access: 'management',
    accepts: NamespaceBody,
    emits: writtenHeaders,
    runs: [operations.upsertNamespace],
    refusals: [...bodies, 'namespace_name_mismatch'],
    handle: async ({ context, params, body }) => {
      const { scheduler, token } = context
      const read = readBody(NamespaceBody, body, 'a namespace', 'invalid_namespace')
      if (!read.ok) return read
      const { namespace = read.value.Name } = params as { readonly namespace?: string } // what the path captures
      const Name = read.value.Name === '' ? namespace : read.value.Name
      if (Name !== namespace)
        return refuse('namespace_name_mismatch', 'Namespace name does not match request path')
      return writtenReply(context, await scheduler.upsertNamespace({ ...read.value, Name }, { token }))
    },
  })

/** Namespaces. */
export const namespaceRoutes: readonly SchedulerRoute[] = [
  listOf({
    id: 'namespaces.list',
    path: '/v1/namespaces',
    summary: 'List the namespaces in which the caller has any capability',
    access: 'any capability in them',
    runs: operations.listNamespaces,
    reply: NamespaceReply,
    prefix: true,
    list: (scheduler, _, call) => scheduler.listNamespaces(call),
  }),
  write('/v1/namespaces', 'namespaces.write-listed', 'Create or replace the namespace that the body names'),
  write('/v1/namespace', 'namespaces.write-named', 'Create or replace the namespace that the body names'),
  readOf({
    id: 'namespaces.read',
    path: '/v1/namespace/:namespace',
    summary: 'Read a namespace',
    access: 'any capability in it',
    runs: operations.readNamespace,
    reply: NamespaceReply,
    read: (scheduler, { namespace }, call) => scheduler.readNamespace(namespace, call),
  }),
  write('/v1/namespace/:namespace', 'namespaces.write', 'Create or replace the namespace of this name'),
  deleteOf({
    id: 'namespaces.delete',
    path: '/v1/namespace/:namespace',
    summary: 'Delete a namespace whose jobs are all dead',
    runs: operations.deleteNamespace,
    delete: (scheduler, { namespace }, call) => scheduler.deleteNamespace(namespace, call),
  }),
]
