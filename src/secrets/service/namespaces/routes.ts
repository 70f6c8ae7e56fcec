import * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import type { NamespaceEntry } from '../../namespaces/model.ts'
import { answerDone, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { body, notesPatchField, pairsField } from '../core/fields.ts'
import { pageOf } from '../core/list-page.ts'
import { patchTypeProblem } from '../core/patch-type.ts'
import { enveloped, orNothing } from '../core/reply-shapes.ts'
import { namespaceOperations } from './operations.ts'

const at = route<SecretsContext>()

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
  at({
    id: 'sys.namespaces',
    method: 'LIST',
    path: '/namespaces',
    summary: 'List the namespaces directly within this one',
    access: 'list',
    reply: Namespaces,
    ...orNothing,
    handle: async ({ context }): Promise<Reply> => {
      const entries = await context.services.namespaces.list(context.namespace)
      if (entries.length === 0) return notFound
      const within = context.namespace.path.length
      const named = new Map(entries.map((entry) => [entry.path.slice(within), wire(entry)]))
      const keys = pageOf([...named.keys()], context.page)
      if (keys.length === 0) return notFound
      const info = Object.fromEntries(keys.map((key) => [key, named.get(key)]))
      return answerWith(context, { data: { keys, key_info: info } })
    },
  }),
  at({
    id: 'sys.read-namespace',
    method: 'GET',
    path: '/namespaces/:name',
    summary: 'Read a namespace within this one',
    access: 'read',
    reply: NamespaceRead,
    ...orNothing,
    handle: async ({ context, params }) => {
      const entry = await context.services.namespaces.read(context.namespace, params.name)
      return entry ? answerWith(context, { data: wire(entry) }) : notFound
    },
  }),
  at({
    id: 'sys.create-namespace',
    method: 'POST',
    path: '/namespaces/*name',
    summary: 'Create a namespace within this one',
    access: 'create or update',
    body: NamespaceBody,
    runs: [namespaceOperations.create],
    reply: NamespaceRead,
    handle: async ({ context, params, body }) => {
      const result = await context.services.namespaces.create(context.namespace, {
        name: params.name,
        customMetadata: body.custom_metadata,
      })
      return result.ok ? answerWith(context, { data: wire(result.value) }) : result
    },
  }),
  at({
    id: 'sys.patch-namespace',
    method: 'PATCH',
    path: '/namespaces/:name',
    summary: 'Change the custom metadata of a namespace within this one',
    access: 'patch',
    body: NamespacePatchBody,
    refusals: ['patch_media_type', 'patch_media_type_missing'],
    before: ({ exchange }) => patchTypeProblem(exchange),
    reply: NamespaceRead,
    ...orNothing,
    handle: async ({ context, params, body }) => {
      const entry = await context.services.namespaces.describe(context.namespace, {
        name: params.name,
        customMetadata: body.custom_metadata,
      })
      return entry ? answerWith(context, { data: wire(entry) }) : notFound
    },
  }),
  at({
    id: 'sys.delete-namespace',
    method: 'DELETE',
    path: '/namespaces/:name',
    summary: 'Delete a namespace within this one, with its mounts, policies and tokens',
    access: 'delete',
    success: 204,
    refusals: ['namespace_not_empty'],
    handle: async ({ context, params }) => {
      const result = await context.services.namespaces.delete(context.namespace, params.name)
      return result.ok ? answerDone(context) : result
    },
  }),
]
