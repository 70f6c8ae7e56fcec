import { refuse } from '../../kernel/index.ts'
import { Namespace, NamespaceSpec } from '../namespaces/model.ts'
import { operations } from '../operations/operations.ts'
import { writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { operationRoute, type SchedulerRoute, writtenReply } from './context.ts'
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
  operationRoute({
    id,
    method: ['PUT', 'POST'],
    path,
    summary,
    access: 'management',
    accepts: NamespaceBody,
    emits: writtenHeaders,
    refusals: [...bodies, 'invalid_namespace', 'namespace_name_mismatch'],
    run: operations.upsertNamespace,
    with: ({ context: { token }, params, body }) => {
      const read = readBody(NamespaceBody, body, 'a namespace', 'invalid_namespace')
      if (!read.ok) return read
      const { namespace = read.value.Name } = params as { readonly namespace?: string } // what the path captures
      const Name = read.value.Name === '' ? namespace : read.value.Name
      if (Name !== namespace)
        return refuse('namespace_name_mismatch', 'Namespace name does not match request path')
      return [{ ...read.value, Name }, { token }]
    },
    answer: writtenReply,
  })

/** Namespaces. */
export const namespaceRoutes: readonly SchedulerRoute[] = [
  listOf({
    id: 'namespaces.list',
    path: '/v1/namespaces',
    summary: 'List the namespaces in which the caller has any capability',
    access: 'any capability in them',
    run: operations.listNamespaces,
    reply: NamespaceReply,
    prefix: true,
    with: (_, call) => [call],
  }),
  write('/v1/namespaces', 'namespaces.write-listed', 'Create or replace the namespace that the body names'),
  write('/v1/namespace', 'namespaces.write-named', 'Create or replace the namespace that the body names'),
  readOf({
    id: 'namespaces.read',
    path: '/v1/namespace/:namespace',
    summary: 'Read a namespace',
    access: 'any capability in it',
    run: operations.readNamespace,
    reply: NamespaceReply,
    with: ({ namespace }, call) => [namespace, call],
  }),
  write('/v1/namespace/:namespace', 'namespaces.write', 'Create or replace the namespace of this name'),
  deleteOf({
    id: 'namespaces.delete',
    path: '/v1/namespace/:namespace',
    summary: 'Delete a namespace whose jobs are all dead',
    run: operations.deleteNamespace,
    with: ({ namespace }, call) => [namespace, call],
  }),
]
