import * as z from 'zod'
import type { Reply } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { readSubkeys } from '../../kv2/read-subkeys.ts'
import { answerWith, notFound, operationRoute, type SecretsContext } from '../core/context.ts'
import { JsonText } from '../core/envelope.ts'
import { integerField } from '../core/fields.ts'
import { mergePatchType, patchTypeProblem } from '../core/patch-type.ts'
import { kvOperations, kvTextOperations } from './operations.ts'
import {
  GoneReply,
  GoneSubkeysReply,
  SubkeysReply,
  VersionReply,
  versionText,
  WriteBody,
  WrittenReply,
} from './replies.ts'
import type { DataFound } from './versioned-reads.ts'
import { ignoredFields, readWriteBody, versionWire } from './wire.ts'

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

/** The arguments of a read. */
const reading = (
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): readonly [path: string, version: number] | Refused<'bad_version'> => {
  const version = numberIn(query, 'version')
  return version === undefined ? notANumber('bad_version', 'version', 'a whole number') : [path, version]
}

/** Shows a version; 404 with its metadata if it is deleted or destroyed, in which case `json` is null. */
function showVersion(
  found: DataFound,
  context: SecretsContext,
  show: (json: string | null, metadata: object) => JsonText,
): Reply {
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
  operationRoute({
    id: 'kv2.read',
    method: 'GET',
    path: '/data/*path',
    summary: 'Read a version of a secret',
    access: 'read',
    refusals: ['bad_version'],
    query: z.object({ version: versionText }),
    reply: VersionReply,
    also: {
      404: {
        description: 'the secret or version does not exist, or was deleted or destroyed',
        reply: GoneReply,
      },
    },
    run: kvTextOperations.read,
    with: ({ params, query }) => reading(params.path, query),
    show: (found, { context }) =>
      showVersion(found, context, (json, metadata) => beside('data', json, metadata)),
  }),
  operationRoute({
    id: 'kv2.write',
    method: 'POST',
    path: '/data/*path',
    summary: 'Write a new version of a secret',
    access: 'create or update',
    refusals: ['no_data', 'data_not_a_map', 'data_too_deep', 'cas_not_a_number'],
    accepts: WriteBody,
    reply: WrittenReply,
    run: kvTextOperations.write,
    with: async ({ params, text }) => {
      const write = await readWriteBody(text)
      return 'ok' in write ? write : [params.path, write]
    },
    show: (version, { context, body }) =>
      answerWith(context, { data: versionWire(version), warnings: ignoredFields(body) }),
  }),
  operationRoute({
    id: 'kv2.patch',
    method: 'PATCH',
    path: '/data/*path',
    summary: 'Write a new version by applying a merge patch to the current one',
    access: 'patch',
    refusals: [
      'no_data',
      'data_not_a_map',
      'data_too_deep',
      'cas_not_a_number',
      'patch_media_type',
      'patch_media_type_missing',
    ],
    before: ({ exchange }) => patchTypeProblem(exchange),
    takes: mergePatchType,
    accepts: WriteBody,
    reply: WrittenReply,
    also: { 404: { description: 'there is no secret to patch', reply: WrittenReply } },
    run: kvTextOperations.patch,
    with: async ({ params, text }) => {
      const write = await readWriteBody(text)
      return 'ok' in write ? write : [params.path, { patch: write.json, cas: write.cas }]
    },
    show: (patched, { context, body }) => {
      if (!('kind' in patched))
        return answerWith(context, { data: versionWire(patched), warnings: ignoredFields(body) })
      return patched.kind === 'gone'
        ? answerWith(context, { data: versionWire(patched.version) }, 404)
        : notFound
    },
  }),
  operationRoute({
    id: 'kv2.delete-current',
    method: 'DELETE',
    path: '/data/*path',
    summary: 'Soft-delete the current version',
    access: 'delete',
    run: kvOperations.delete,
    with: ({ params }) => [params.path],
  }),
  operationRoute({
    id: 'kv2.read-subkeys',
    method: 'GET',
    path: '/subkeys/*path',
    summary: 'Read the field names of a secret without their values',
    access: 'read',
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
    run: kvTextOperations.read,
    with: ({ params, query }) =>
      (numberIn(query, 'depth') ?? -1) < 0
        ? notANumber('bad_depth', 'depth', 'a whole number, not negative')
        : reading(params.path, query),
    show: (found, { context, query }) =>
      showVersion(found, context, (json, metadata) =>
        beside('subkeys', json && readSubkeys(json, numberIn(query, 'depth') ?? 0), metadata),
      ),
  }),
]
