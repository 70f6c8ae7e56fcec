import { nothing } from '../../../operation/operation.ts'
import { answerWith, asData, operationRoute } from '../core/context.ts'
import { dataRoutes } from './data-routes.ts'
import { metadataRoutes } from './metadata-routes.ts'
import { kvOperations } from './operations.ts'
import { ConfigReply } from './replies.ts'
import { ConfigBody, configWire, maxVersionsProblem, VersionsBody } from './wire.ts'

/** The names of the operations in command-line clients. */
const verbs = {
  list: 'list',
  scan: 'list',
  read: 'get',
  create: 'put',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
} as const

/** The answer for unknown paths: most often `data/` was omitted after the mount. */
export const unversionedPath = operationRoute({
  id: 'kv2.unversioned-path',
  method: 'GET',
  path: '/*path',
  summary: 'Refuse a path without data/ or metadata/',
  run: nothing,
  show: (_, { context, params }) => {
    const rooted = [
      'data',
      'metadata',
      'detailed-metadata',
      'delete',
      'undelete',
      'destroy',
      'subkeys',
    ].includes(params.path)
    const segment = context.operation === 'list' || context.operation === 'scan' ? 'metadata' : 'data'
    const warning = rooted
      ? 'Non-listing operations on the root of a K/V v2 mount are not supported.'
      : `Invalid path for a versioned K/V secrets engine: "${segment}/" is missing after "${context.mount.path}" (the command-line clients' "kv ${verbs[context.operation]}" adds it).`
    return answerWith(context, { warnings: [warning] }, 404)
  },
})

/** The routes of a version 2 key/value mount, relative to it. */
export const kv2Routes = [
  operationRoute({
    id: 'kv2.read-config',
    method: 'GET',
    path: '/config',
    summary: "Read the mount's settings",
    access: 'read',
    reply: ConfigReply,
    run: kvOperations.readConfig,
    show: asData(configWire),
  }),
  operationRoute({
    id: 'kv2.configure',
    method: 'POST',
    path: '/config',
    summary: "Change the mount's settings",
    access: 'update',
    body: ConfigBody,
    refusals: ['negative_max_versions'],
    run: kvOperations.configure,
    with: ({ body }) =>
      maxVersionsProblem(body.max_versions) ?? [
        {
          maxVersions: body.max_versions,
          casRequired: body.cas_required,
          metadataCasRequired: body.metadata_cas_required,
          deleteVersionAfterSeconds: body.delete_version_after,
        },
      ],
  }),
  ...dataRoutes,
  ...(['delete', 'undelete', 'destroy'] as const).map((verb) =>
    operationRoute({
      id: `kv2.${verb}-versions`,
      method: 'POST',
      path: `/${verb}/*path`,
      summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} versions of a secret`,
      access: 'update',
      body: VersionsBody,
      run: kvOperations[verb],
      with: ({ params, body }) => [params['path'] ?? '', body.versions],
    }),
  ),
  ...metadataRoutes,
]
