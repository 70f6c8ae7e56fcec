import { versionOperations } from '../operations/versions.ts'
import { VersionBody } from '../wire/bodies.ts'
import { replies } from '../wire/replies.ts'
import { versionView } from '../wire/views.ts'
import { access, asSpelled, operationRoute, writing } from './context.ts'

const shownAs = (api: 1 | 2) => ({ reply: replies[api].Version, show: asSpelled(api, versionView) }) as const

const lifecycleRoutes = (api: 1 | 2) => {
  const shown = shownAs(api)
  return [
    operationRoute({
      id: `v${api}.version.release`,
      method: 'PUT',
      path: `/api/v${api}/box/:username/:name/version/:version/release`,
      summary: 'Release a version',
      ...writing,
      ...shown,
      run: versionOperations.releaseVersion,
      with: ({ params }) => [params],
    }),
    operationRoute({
      id: `v${api}.version.revoke`,
      method: 'PUT',
      path: `/api/v${api}/box/:username/:name/version/:version/revoke`,
      summary: 'Revoke a released version permanently',
      ...writing,
      ...shown,
      run: versionOperations.revokeVersion,
      with: ({ params }) => [params],
    }),
  ]
}

/** Versions and their lifecycle, in one version of the API. */
export const versionRoutes = (api: 1 | 2) => {
  const shown = shownAs(api)
  return [
    operationRoute({
      id: `v${api}.version.create`,
      method: 'POST',
      path: `/api/v${api}/box/:username/:name/versions`,
      summary: 'Create a version, unreleased and without providers',
      ...writing,
      ...shown,
      ...VersionBody,
      run: versionOperations.createVersion,
      with: ({ params, body }) => [params, { ...body, version: body.version ?? '' }],
    }),
    operationRoute({
      id: `v${api}.version.read`,
      method: 'GET',
      path: `/api/v${api}/box/:username/:name/version/:version`,
      summary: 'Read a version with its providers',
      access: access.read,
      ...shown,
      run: versionOperations.readVersion,
      with: ({ params }) => [params],
    }),
    operationRoute({
      id: `v${api}.version.update`,
      method: 'PUT',
      path: `/api/v${api}/box/:username/:name/version/:version`,
      summary: 'Change the description or the number of a version',
      ...writing,
      ...shown,
      ...VersionBody,
      run: versionOperations.updateVersion,
      with: ({ params, body }) => [params, body],
    }),
    operationRoute({
      id: `v${api}.version.delete`,
      method: 'DELETE',
      path: `/api/v${api}/box/:username/:name/version/:version`,
      summary: 'Delete a version with its providers and images',
      ...writing,
      ...shown,
      run: versionOperations.deleteVersion,
      with: ({ params }) => [params],
    }),
    ...lifecycleRoutes(api),
  ]
}
