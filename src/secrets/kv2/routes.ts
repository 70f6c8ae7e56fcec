import { type Reply, route } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { JsonText } from '../envelope.ts'
import { kindOf } from '../fields.ts'
import { answerDone, answerWith, notFound, type SecretsContext } from '../service/context.ts'
import { unrecognized } from '../service/door/unknown-fields.ts'
import { type BodyRefusal, readBody } from '../service/kv/body.ts'
import { type PlaceRefusal, placeRefusals } from '../service/kv/paths.ts'
import { type ExactJson, isExactObject, writeExact } from './exact-json.ts'
import { metadataRoutes } from './metadata-routes.ts'
import { readSubkeys } from './read-subkeys.ts'
import { checkMaxVersions, checkPatchType } from './request-checks.ts'
import { ConfigBody, configWire, readCas, VersionsBody, versionWire } from './wire.ts'

/** What the routes of key/value mounts refuse, beyond what their engines do. */
export type KvRouteRefusal =
  | PlaceRefusal
  | BodyRefusal
  | 'no_data'
  | 'cas_not_a_number'
  | 'negative_max_versions'
  | 'patch_media_type_missing'
  | 'patch_media_type'

const at = route<SecretsContext>()

/** A value as JSON has it, for messages. */
const plain = (value: ExactJson): unknown => JSON.parse(writeExact(value))

/** The data and options of a write, digits kept; what else the body holds is named in a warning. */
function readWrite(
  text: string,
): { json: string; cas: number | undefined; warnings: string[] } | Refused<KvRouteRefusal> {
  const body = readBody(text)
  if ('ok' in body) return body
  const data: ExactJson | undefined = body.get('data')
  if (data === undefined || data === null) return refuse('no_data', 'no data provided')
  if (!isExactObject(data))
    return refuse(
      'data_not_a_map',
      `Field validation failed: error converting input for field "data": expected a map, not ${kindOf(plain(data))}`,
    )
  const options = body.get('options')
  if (options !== undefined && options !== null && !isExactObject(options))
    return refuse(
      'data_not_a_map',
      `Field validation failed: error converting input for field "options": expected a map, not ${kindOf(plain(options))}`,
    )
  const read = readCas(options === undefined ? undefined : JSON.parse(writeExact(options)))
  if (read === 'invalid') return refuse('cas_not_a_number', 'error parsing check-and-set parameter')
  const ignored = [...body.keys()].filter(
    (name) => name !== 'data' && name !== 'options' && name !== 'version',
  )
  const warnings = ignored.length === 0 ? [] : [unrecognized(ignored.sort())]
  return { json: writeExact(data), cas: read.cas, warnings }
}

const versionAsked = ({ version }: { readonly [name: string]: string }): number | undefined =>
  version === undefined || version === '' ? 0 : /^-?\d{1,15}$/.test(version) ? Number(version) : undefined

const badVersion = (): Refused<'bad_version'> =>
  refuse(
    'bad_version',
    'Field validation failed: error converting input for field "version": expected a whole number',
  )

/** What the command-line clients call each operation. */
const verbs = {
  list: 'list',
  read: 'get',
  create: 'put',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
} as const

/** Where paths go that no route knows: most often `data/` was left out after the mount. */
export const unversionedPath = at({
  id: 'kv2.unversioned-path',
  method: 'GET',
  path: '/*path',
  summary: 'Say that the path lacks its data/ or metadata/ segment',
  handle: ({ context, params }): Reply => {
    const rooted = ['data', 'metadata', 'delete', 'undelete', 'destroy', 'subkeys'].includes(params.path)
    const segment = context.operation === 'list' ? 'metadata' : 'data'
    const warning = rooted
      ? 'Non-listing operations on the root of a K/V v2 mount are not supported.'
      : `Invalid path for a versioned K/V secrets engine: "${segment}/" is missing after "${context.mount.path}" (the command-line clients' "kv ${verbs[context.operation]}" adds it).`
    return answerWith(context, { warnings: [warning] }, 404)
  },
})

/** The routes of a version 2 key/value mount, relative to it. */
export const kv2Routes = [
  at({
    id: 'kv2.read-config',
    method: 'GET',
    path: '/config',
    summary: "Read the mount's settings",
    access: 'read',
    refusals: placeRefusals,
    handle: async ({ context }) => {
      const result = await context.services.versioned.readConfig(context)
      return result.ok ? answerWith(context, { data: configWire(result.value) }) : result
    },
  }),
  at({
    id: 'kv2.configure',
    method: 'POST',
    path: '/config',
    summary: "Change the mount's settings",
    access: 'update',
    body: ConfigBody,
    success: 204,
    refusals: [...placeRefusals, 'negative_max_versions'],
    handle: async ({ context, body }) => {
      const refused = checkMaxVersions(body.max_versions)
      if (refused) return refused
      const result = await context.services.versioned.configure(context, {
        maxVersions: body.max_versions,
        casRequired: body.cas_required,
        deleteVersionAfterSeconds: body.delete_version_after,
      })
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'kv2.read',
    method: 'GET',
    path: '/data/*path',
    summary: 'Read a version of a secret',
    access: 'read',
    refusals: [...placeRefusals, 'bad_version'],
    handle: async ({ context, params, query }) => {
      const version = versionAsked(query)
      if (version === undefined) return badVersion()
      const result = await context.services.versioned.read(context, params.path, version)
      if (!result.ok) return result
      const found = result.value
      if (found.kind === 'absent') return notFound
      const metadata = versionWire(found.version)
      return found.kind === 'live'
        ? answerWith(context, { data: { data: new JsonText(found.json), metadata } })
        : answerWith(context, { data: { data: null, metadata } }, 404)
    },
  }),
  at({
    id: 'kv2.write',
    method: 'POST',
    path: '/data/*path',
    summary: 'Write a new version of a secret',
    access: 'create or update',
    refusals: [
      ...placeRefusals,
      'no_data',
      'data_not_a_map',
      'data_too_deep',
      'cas_not_a_number',
      'cas_required',
      'cas_mismatch',
    ],
    handle: async ({ context, params, text }) => {
      const write = readWrite(text)
      if ('ok' in write) return write
      const result = await context.services.versioned.write(context, params.path, write)
      if (!result.ok) return result
      return answerWith(context, { data: versionWire(result.value), warnings: write.warnings })
    },
  }),
  at({
    id: 'kv2.patch',
    method: 'PATCH',
    path: '/data/*path',
    summary: 'Write a new version that is the current one with a merge patch applied',
    access: 'patch',
    refusals: [
      ...placeRefusals,
      'patch_media_type',
      'patch_media_type_missing',
      'no_data',
      'data_not_a_map',
      'data_too_deep',
      'cas_not_a_number',
      'cas_required',
      'cas_mismatch',
    ],
    before: ({ request }) => checkPatchType(request),
    handle: async ({ context, params, text }) => {
      const write = readWrite(text)
      if ('ok' in write) return write
      const { json, cas, warnings } = write
      const { versioned } = context.services
      const result = await versioned.patch(context, params.path, { patch: json, cas })
      if (result.ok) return answerWith(context, { data: versionWire(result.value), warnings })
      if (result.refusal.code === 'secret_not_found') return notFound
      if (result.refusal.code !== 'version_gone')
        return { ok: false, refusal: { ...result.refusal, code: result.refusal.code } }
      const gone = await versioned.read(context, params.path, 0)
      if (!gone.ok) return gone
      return gone.value.kind === 'gone'
        ? answerWith(context, { data: versionWire(gone.value.version) }, 404)
        : notFound
    },
  }),
  at({
    id: 'kv2.delete-current',
    method: 'DELETE',
    path: '/data/*path',
    summary: 'Soft-delete the current version',
    access: 'delete',
    success: 204,
    refusals: placeRefusals,
    handle: async ({ context, params }) => {
      const result = await context.services.versioned.delete(context, params.path, 'current')
      return result.ok ? answerDone(context) : result
    },
  }),
  ...(['delete', 'undelete', 'destroy'] as const).map((verb) =>
    at({
      id: `kv2.${verb}-versions`,
      method: 'POST',
      path: `/${verb}/*path`,
      summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} versions of a secret`,
      access: 'update',
      body: VersionsBody,
      success: 204,
      refusals: [...placeRefusals, 'no_versions'],
      handle: async ({ context, params, body }) => {
        const result = await context.services.versioned[verb](context, params.path, body.versions)
        return result.ok ? answerDone(context) : result
      },
    }),
  ),
  ...metadataRoutes,
  at({
    id: 'kv2.read-subkeys',
    method: 'GET',
    path: '/subkeys/*path',
    summary: 'Read the names in a secret without their values',
    access: 'read',
    refusals: [...placeRefusals, 'bad_version', 'bad_depth'],
    handle: async ({ context, params, query }) => {
      const version = versionAsked(query)
      if (version === undefined) return badVersion()
      const depth = Number(query['depth'] ?? '0')
      if (!Number.isSafeInteger(depth) || depth < 0)
        return refuse(
          'bad_depth',
          'Field validation failed: error converting input for field "depth": expected a whole number, not negative',
        )
      const result = await context.services.versioned.read(context, params.path, version)
      if (!result.ok) return result
      const found = result.value
      if (found.kind === 'absent') return notFound
      const metadata = versionWire(found.version)
      return found.kind === 'live'
        ? answerWith(context, { data: { subkeys: new JsonText(readSubkeys(found.json, depth)), metadata } })
        : answerWith(context, { data: { subkeys: null, metadata } }, 404)
    },
  }),
]
