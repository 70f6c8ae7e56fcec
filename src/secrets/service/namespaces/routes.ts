import * as z from 'zod'
import type { NamespaceEntry } from '../../namespaces/model.ts'
import { answerWith, asData, notFound, operationRoute } from '../core/context.ts'
import { body, notesPatchField, pairsField } from '../core/fields.ts'
import { pageOf } from '../core/list-page.ts'
import { mergePatchType, patchTypeProblem } from '../core/patch-type.ts'
import { enveloped, orNothing } from '../core/reply-shapes.ts'
import { childOperations } from './operations.ts'

const text = z.string()
const texts = z.array(text)

const namespace = { id: text, path: text, custom_metadata: z.record(text, text) }
const Namespace = z.object(namespace)
export const NamespaceRead = enveloped(Namespace).meta({ id: 'Namespace' })
export const Namespaces = enveloped(z.object({ keys: texts, key_info: z.record(text, Namespace) }))

const NamespaceBody = body({ custom_metadata: pairsField })
const NamespacePatchBody = body({ custom_metadata: notesPatchField })

const wire = ({ id, path, customMetadata }: NamespaceEntry) => ({ id, path, custom_metadata: customMetadata })

/** The routes of the namespaces within the current one, relative to the system mount. */
export const namespaceRoutes = [
  operationRoute({
    id: 'sys.namespaces',
    method: 'LIST',
    path: '/namespaces',
    summary: 'List the namespaces directly within this one',
    access: 'list',
    reply: Namespaces,
    ...orNothing,
    run: childOperations.list,
    show: (entries, { context }) => {
      const within = context.namespace.path.length
      const named = new Map(entries.map((entry) => [entry.path.slice(within), wire(entry)]))
      const keys = pageOf([...named.keys()], context.page)
      if (keys.length === 0) return notFound
      const info = Object.fromEntries(keys.map((key) => [key, named.get(key)]))
      return answerWith(context, { data: { keys, key_info: info } })
    },
  }),
  operationRoute({
    id: 'sys.read-namespace',
    method: 'GET',
    path: '/namespaces/:name',
    summary: 'Read a namespace within this one',
    access: 'read',
    reply: NamespaceRead,
    ...orNothing,
    run: childOperations.read,
    with: ({ params }) => [params.name],
    show: asData(wire),
  }),
  operationRoute({
    id: 'sys.create-namespace',
    method: 'POST',
    path: '/namespaces/*name',
    summary: 'Create a namespace within this one',
    access: 'create or update',
    body: NamespaceBody,
    reply: NamespaceRead,
    run: childOperations.create,
    with: ({ params, body }) => [{ name: params.name, customMetadata: body.custom_metadata }],
    show: asData(wire),
  }),
  operationRoute({
    id: 'sys.patch-namespace',
    method: 'PATCH',
    path: '/namespaces/:name',
    summary: 'Change the custom metadata of a namespace within this one',
    access: 'patch',
    body: NamespacePatchBody,
    refusals: ['patch_media_type', 'patch_media_type_missing'],
    before: ({ exchange }) => patchTypeProblem(exchange),
    takes: mergePatchType,
    reply: NamespaceRead,
    ...orNothing,
    run: childOperations.describe,
    with: ({ params, body }) => [params.name, body.custom_metadata],
    show: asData(wire),
  }),
  operationRoute({
    id: 'sys.delete-namespace',
    method: 'DELETE',
    path: '/namespaces/:name',
    summary: 'Delete a namespace within this one, with its mounts, policies and tokens',
    access: 'delete',
    run: childOperations.delete,
    with: ({ params }) => [params.name],
  }),
]
