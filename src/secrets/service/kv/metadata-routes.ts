import { route } from '../../../http/index.ts'
import { answerDone, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { patchTypeProblem } from '../core/patch-type.ts'
import { mayWarn, orNothing } from '../core/reply-shapes.ts'
import { listRoutes } from './list-routes.ts'
import { kvOperations } from './operations.ts'
import { MetadataReply } from './replies.ts'
import { MetadataBody, MetadataPatchBody, maxVersionsProblem, metadataWire } from './wire.ts'

const at = route<SecretsContext>()

/** The routes of secrets' metadata, relative to a mount of version 2; lists return metadata, too. */
export const metadataRoutes = [
  ...listRoutes,
  at({
    id: 'kv2.read-metadata',
    method: 'GET',
    path: '/metadata/*path',
    summary: "Read a secret's settings and its versions' metadata",
    access: 'read',
    runs: [kvOperations.readMetadata],
    reply: MetadataReply,
    ...orNothing,
    handle: async ({ context, params }) => {
      const result = await kvOperations.readMetadata.run(context, params.path)
      if (!result.ok) return result
      return result.value ? answerWith(context, { data: metadataWire(result.value) }) : notFound
    },
  }),
  at({
    id: 'kv2.write-metadata',
    method: 'POST',
    path: '/metadata/*path',
    summary: 'Write the settings and custom metadata of a secret',
    access: 'create or update',
    body: MetadataBody,
    runs: [kvOperations.writeMetadata],
    refusals: ['negative_max_versions'],
    ...mayWarn,
    handle: async ({ context, params, body }) => {
      const refused = maxVersionsProblem(body.max_versions)
      if (refused) return refused
      const result = await kvOperations.writeMetadata.run(context, params.path, {
        maxVersions: body.max_versions,
        casRequired: body.cas_required,
        metadataCas: body.metadata_cas,
        metadataCasRequired: body.metadata_cas_required,
        deleteVersionAfterSeconds: body.delete_version_after,
        customMetadata: body.custom_metadata,
      })
      return result.ok ? answerDone(context, result.value.warnings) : result
    },
  }),
  at({
    id: 'kv2.patch-metadata',
    method: 'PATCH',
    path: '/metadata/*path',
    summary: 'Change some settings or custom metadata of a secret',
    access: 'patch',
    body: MetadataPatchBody,
    runs: [kvOperations.writeMetadata],
    refusals: ['negative_max_versions', 'patch_media_type', 'patch_media_type_missing'],
    before: ({ exchange }) => patchTypeProblem(exchange),
    success: 204,
    also: { ...mayWarn.also, ...orNothing.also },
    handle: async ({ context, params, body }) => {
      const refused = maxVersionsProblem(body.max_versions)
      if (refused) return refused
      const result = await kvOperations.patchMetadata.run(context, params.path, {
        maxVersions: body.max_versions,
        casRequired: body.cas_required,
        metadataCas: body.metadata_cas,
        metadataCasRequired: body.metadata_cas_required,
        deleteVersionAfterSeconds: body.delete_version_after,
        customMetadata: body.custom_metadata,
      })
      if (result.ok) return answerDone(context, result.value.warnings)
      if (result.refusal.code === 'secret_not_found') return notFound
      return { ok: false, refusal: { ...result.refusal, code: result.refusal.code } }
    },
  }),
  at({
    id: 'kv2.remove',
    method: 'DELETE',
    path: '/metadata/*path',
    summary: 'Delete a secret with all its versions',
    access: 'delete',
    success: 204,
    runs: [kvOperations.remove],
    handle: async ({ context, params }) => {
      const result = await kvOperations.remove.run(context, params.path)
      return result.ok ? answerDone(context) : result
    },
  }),
]
