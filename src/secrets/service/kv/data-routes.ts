import * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { readSubkeys } from '../../kv2/read-subkeys.ts'
import { answerDone, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { JsonText } from '../core/envelope.ts'
import { integerField } from '../core/fields.ts'
import { patchTypeProblem } from '../core/patch-type.ts'
import type { PlaceRefusal } from '../core/paths.ts'
import { readWriteBody } from './body.ts'
import { kvOperations } from './operations.ts'
import {
  GoneReply,
  GoneSubkeysReply,
  SubkeysReply,
  VersionReply,
  versionText,
  WriteBody,
  WrittenReply,
} from './replies.ts'

import { versionWire } from './wire.ts'

const at = route<SecretsContext>()

/** A whole number of the query; 0 if omitted, `undefined` if invalid. */
function numberIn(
  query: Readonly<Record<string, string | undefined>>,
  name: 'version' | 'depth',
): number | undefined {
  const text = query[name]
  // A fast path: most reads ask for the current version.
  return text === undefined ? 0 : integerField.safeParse(text).data
}

const notANumber = <Code extends 'bad_version' | 'bad_depth'>(
  code: Code,
  field: 'version' | 'depth',
  expected: string,
): Refused<Code> =>
  refuse(code, `Field validation failed: error converting input for field "${field}": expected ${expected}`)

/**
 * Answers with the requested version; 404 with its metadata if it is deleted or destroyed, in which case `json` is
 * null.
 */
async function answerVersion(
  context: SecretsContext,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  show: (json: string | null, metadata: object) => JsonText,
): Promise<Reply | Refused<PlaceRefusal | 'bad_version'>> {
  const version = numberIn(query, 'version')
  if (version === undefined) return notANumber('bad_version', 'version', 'a whole number')
  const result = await context.services.versioned.read(context, path, version)
  if (!result.ok) return result
  const found = result.value
  if (found.kind === 'absent') return notFound
  const metadata = versionWire(found.version)
  return found.kind === 'live'
    ? answerWith(context, { data: show(found.json, metadata) })
    : answerWith(context, { data: show(null, metadata) }, 404)
}

/** The named field of a version, unchanged, and its metadata. */
const beside = (name: 'data' | 'subkeys', json: string | null, metadata: object): JsonText =>
  new JsonText(`{"${name}":${json},"metadata":${JSON.stringify(metadata)}}`)

/** The routes of secrets' data, relative to a mount of version 2. */
export const dataRoutes = [
  at({
    id: 'kv2.read',
    method: 'GET',
    path: '/data/*path',
    summary: 'Read a version of a secret',
    access: 'read',
    runs: [kvOperations.read],
    refusals: ['bad_version'],
    query: z.object({ version: versionText }),
    reply: VersionReply,
    also: {
      404: {
        description: 'the secret or version does not exist, or was deleted or destroyed',
        reply: GoneReply,
      },
    },
    handle: ({ context, params, query }) =>
      answerVersion(context, params.path, query, (json, metadata) => beside('data', json, metadata)),
  }),
  at({
    id: 'kv2.write',
    method: 'POST',
    path: '/data/*path',
    summary: 'Write a new version of a secret',
    access: 'create or update',
    runs: [kvOperations.write],
    refusals: ['no_data', 'cas_not_a_number'],
    accepts: WriteBody,
    reply: WrittenReply,
    handle: async ({ context, params, text }) => {
      const write = readWriteBody(text)
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
    summary: 'Write a new version by applying a merge patch to the current one',
    access: 'patch',
    runs: [kvOperations.write],
    refusals: ['no_data', 'cas_not_a_number', 'patch_media_type', 'patch_media_type_missing'],
    before: ({ exchange }) => patchTypeProblem(exchange),
    accepts: WriteBody,
    reply: WrittenReply,
    also: { 404: { description: 'there is no secret to patch', reply: WrittenReply } },
    handle: async ({ context, params, text }) => {
      const write = readWriteBody(text)
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
    runs: [kvOperations.delete],
    handle: async ({ context, params }) => {
      const result = await kvOperations.delete.run(context, params.path)
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'kv2.read-subkeys',
    method: 'GET',
    path: '/subkeys/*path',
    summary: 'Read the field names of a secret without their values',
    access: 'read',
    runs: [kvOperations.read],
    refusals: ['bad_version', 'bad_depth'],
    query: z.object({
      version: versionText,
      depth: z.string().optional().describe('the depth of field names; unlimited by default'),
    }),
    reply: SubkeysReply,
    also: {
      404: {
        description: 'the secret or version does not exist, or was deleted or destroyed',
        reply: GoneSubkeysReply,
      },
    },
    handle: async ({ context, params, query }) => {
      const depth = numberIn(query, 'depth')
      if (depth === undefined || depth < 0)
        return notANumber('bad_depth', 'depth', 'a whole number, not negative')
      return answerVersion(context, params.path, query, (json, metadata) =>
        beside('subkeys', json === null ? null : readSubkeys(json, depth), metadata),
      )
    },
  }),
]
