import { versionOperations } from '../operations/versions.ts'
import { VersionBody } from '../wire/bodies.ts'
import { replies } from '../wire/replies.ts'
import { versionView, voiceOf } from '../wire/views.ts'
import { access, answered, type CatalogContext, define, writing } from './context.ts'

/** Versions and their lifecycle, in one version of the API. */
export const versionRoutes = (api: 1 | 2) => {
  const voice = (context: CatalogContext) => voiceOf(api, context)
  return [
    define({
      id: `v${api}.version.create`,
      method: 'POST',
      path: `/api/v${api}/box/:username/:name/versions`,
      summary: 'Create a version, unreleased and without providers',
      ...writing,
      runs: [versionOperations.createVersion],
      reply: replies[api].Version,
      ...VersionBody,
      handle: async ({ context, params, body }) =>
        answered(
          await context.catalog.createVersion(params, { ...body, version: body.version ?? '' }),
          (value) => versionView(voice(context), value),
        ),
    }),
    define({
      id: `v${api}.version.read`,
      method: 'GET',
      path: `/api/v${api}/box/:username/:name/version/:version`,
      summary: 'Read a version with its providers',
      access: access.read,
      runs: [versionOperations.readVersion],
      reply: replies[api].Version,
      handle: async ({ context, params }) =>
        answered(await context.catalog.readVersion(params), (value) => versionView(voice(context), value)),
    }),
    define({
      id: `v${api}.version.update`,
      method: 'PUT',
      path: `/api/v${api}/box/:username/:name/version/:version`,
      summary: 'Change the description or the number of a version',
      ...writing,
      runs: [versionOperations.updateVersion],
      reply: replies[api].Version,
      ...VersionBody,
      handle: async ({ context, params, body }) =>
        answered(await context.catalog.updateVersion(params, body), (value) =>
          versionView(voice(context), value),
        ),
    }),
    define({
      id: `v${api}.version.delete`,
      method: 'DELETE',
      path: `/api/v${api}/box/:username/:name/version/:version`,
      summary: 'Delete a version with its providers and images',
      ...writing,
      runs: [versionOperations.deleteVersion],
      reply: replies[api].Version,
      handle: async ({ context, params }) =>
        answered(await context.catalog.deleteVersion(params), (value) => versionView(voice(context), value)),
    }),
    define({
      id: `v${api}.version.release`,
      method: 'PUT',
      path: `/api/v${api}/box/:username/:name/version/:version/release`,
      summary: 'Release a version',
      ...writing,
      runs: [versionOperations.releaseVersion],
      reply: replies[api].Version,
      handle: async ({ context, params }) =>
        answered(await context.catalog.releaseVersion(params), (value) => versionView(voice(context), value)),
    }),
    define({
      id: `v${api}.version.revoke`,
      method: 'PUT',
      path: `/api/v${api}/box/:username/:name/version/:version/revoke`,
      summary: 'Revoke a released version permanently',
      ...writing,
      runs: [versionOperations.revokeVersion],
      reply: replies[api].Version,
      handle: async ({ context, params }) =>
        answered(await context.catalog.revokeVersion(params), (value) => versionView(voice(context), value)),
    }),
  ]
}
