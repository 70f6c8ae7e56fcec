import { answerDone, asData, notFound, operationRoute } from '../core/context.ts'
import { mergePatchType, patchTypeProblem } from '../core/patch-type.ts'
import { mayWarn, orNothing } from '../core/reply-shapes.ts'
import { listRoutes } from './list-routes.ts'
import { kvOperations, kvTextOperations } from './operations.ts'
import { MetadataReply } from './replies.ts'
import { MetadataBody, MetadataPatchBody, maxVersionsProblem, metadataWire } from './wire.ts'

/** The routes of secrets' metadata, relative to a mount of version 2; lists return metadata, too. */
export const metadataRoutes = [
  ...listRoutes,
  operationRoute({
    id: 'kv2.read-metadata',
    method: 'GET',
    path: '/metadata/*path',
    summary: "Read a secret's settings and its versions' metadata",
    access: 'read',
    reply: MetadataReply,
    ...orNothing,
    run: kvOperations.readMetadata,
    with: ({ params }) => [params.path],
    show: asData(metadataWire),
  }),
  operationRoute({
    id: 'kv2.write-metadata',
    method: 'POST',
    path: '/metadata/*path',
    summary: 'Write the settings and custom metadata of a secret',
    access: 'create or update',
    body: MetadataBody,
    refusals: ['negative_max_versions'],
    ...mayWarn,
    run: kvOperations.writeMetadata,
    with: ({ params, body }) => maxVersionsProblem(body.max_versions) ?? [params.path, metadataOf(body)],
    show: ({ warnings }, { context }) => answerDone(context, warnings),
  }),
  operationRoute({
    id: 'kv2.patch-metadata',
    method: 'PATCH',
    path: '/metadata/*path',
    summary: 'Change some settings or custom metadata of a secret',
    access: 'patch',
    body: MetadataPatchBody,
    refusals: ['negative_max_versions', 'patch_media_type', 'patch_media_type_missing'],
    before: ({ exchange }) => patchTypeProblem(exchange),
    takes: mergePatchType,
    success: 204,
    also: { ...mayWarn.also, ...orNothing.also },
    run: kvTextOperations.patchMetadata,
    with: ({ params, body }) => maxVersionsProblem(body.max_versions) ?? [params.path, metadataOf(body)],
    show: (warnings, { context }) => (warnings ? answerDone(context, warnings) : notFound),
  }),
  operationRoute({
    id: 'kv2.remove',
    method: 'DELETE',
    path: '/metadata/*path',
    summary: 'Delete a secret with all its versions',
    access: 'delete',
    run: kvOperations.remove,
    with: ({ params }) => [params.path],
  }),
]

/** The fields of a body as the input of a write or of a patch, where `null` resets a field. */
const metadataOf = <Count, Flag, Seconds, Notes>(body: {
  readonly max_versions?: Count
  readonly cas_required?: Flag
  readonly metadata_cas?: number | undefined
  readonly metadata_cas_required?: Flag
  readonly delete_version_after?: Seconds
  readonly custom_metadata?: Notes
}) => ({
  maxVersions: body.max_versions,
  casRequired: body.cas_required,
  metadataCas: body.metadata_cas,
  metadataCasRequired: body.metadata_cas_required,
  deleteVersionAfterSeconds: body.delete_version_after,
  customMetadata: body.custom_metadata,
})
