import * as z from 'zod'
import { type Call, type Exchange, type Reply, raw, redirect, reply } from '../http/index.ts'
import { conditionOf, sliceFor } from '../http/range.ts'
import { type Refused, refuse } from '../kernel/index.ts'
import { ownValue } from '../kernel/objects.ts'
import { routeOperation } from '../operation/operation.ts'
import type { ArchiveFormat } from './archive/read-archive.ts'
import { checkNamespace } from './check-namespace.ts'
import type { RegistryContext } from './context.ts'
import { access, operationRoute } from './define-route.ts'
import type { ModuleAddress } from './modules/names.ts'
import { type OpenableArchive, type PublishArchiveInput, typeOf } from './operations/archive-model.ts'
import { archiveOperations } from './operations/archives.ts'
import type { RegistryParts } from './operations/parts.ts'
import { readOperations } from './operations/reads.ts'
import { writeOperations } from './operations/writes.ts'
import { bases } from './paths.ts'
import { ModuleDetail, toDetail } from './wire.ts'

const modulePath = `${bases.v1}/:namespace/:name/:provider` as const
const versionPath = `${modulePath}/:version` as const

/** How archives are named in `Content-Type`. */
const formats: Readonly<Record<string, ArchiveFormat>> = {
  'application/gzip': 'tar.gz',
  'application/x-gzip': 'tar.gz',
  'application/x-tar+gzip': 'tar.gz',
  'application/x-compressed-tar': 'tar.gz',
  'application/x-tgz': 'tar.gz',
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
}
/** The content types of clients that were not configured with one. */
const sayNothing = ['', 'application/octet-stream', 'application/x-www-form-urlencoded']

/** The declared format of the body; if none is declared, any format is accepted. */
function formatOf(exchange: Exchange): ArchiveFormat | undefined | Refused<'invalid_archive'> {
  const type = (exchange.header('content-type') ?? '').replace(/;.*/s, '').trim().toLowerCase()
  const format = ownValue(formats, type)
  if (format !== undefined || sayNothing.includes(type)) return format
  return refuse(
    'invalid_archive',
    'the body is not said to be an archive: send Content-Type: application/gzip or application/zip',
  )
}

const archive = {
  sends: 'application/gzip',
  also: {
    206: { description: 'the bytes that Range asks for', sends: 'application/gzip' },
    302: { description: 'the archive is elsewhere: see Location' },
    304: { description: 'the caller has the archive' },
  },
} as const

const fetching = ['unauthorized', 'archive_changed', 'range_outside'] as const

/** Publishes a version, and reads it as others see it. */
const publish = routeOperation({
  refuses: [...new Set([...archiveOperations.publishArchive.refuses, ...readOperations.readModule.refuses])],
  run: async (
    parts: RegistryParts,
    address: ModuleAddress,
    input: PublishArchiveInput,
    archive: AsyncIterable<Uint8Array>,
  ) => {
    const published = await archiveOperations.publishArchive.run(parts, address, input, archive)
    if (!published.ok) return published
    const { number } = published.value
    const found = await readOperations.readModule.run(parts, address, number)
    return found.ok ? { ok: true as const, value: { number, details: found.value } } : found
  },
})

/** The endpoints that publish and serve archives. */
export const archiveRoutes = [
  operationRoute({
    id: 'registry.publish',
    method: 'POST',
    path: versionPath,
    summary: 'Publish a version: the body is its archive, a tar.gz or a zip',
    description:
      'The archive is kept as it is. What the module says about itself is read from its `.tf` and `.tf.json` files and its README; files that cannot be read are named in `warnings`. Without a `description`, the module has the first paragraph of its README.',
    access: access.publish,
    query: z.object({
      description: z.string().optional(),
      source: z.string().describe('the URL of its source code').optional(),
      label: z.string().describe('a word to find it by; may be repeated').optional(),
    }),
    refusals: [
      'namespace_forbidden',
      'invalid_archive',
      'archive_too_large',
      ...archiveOperations.checkPublish.refuses,
    ],
    streams: true,
    success: 201,
    reply: ModuleDetail,
    before: async (call) => {
      const forbidden = checkNamespace(call)
      if (forbidden) return forbidden
      const { context, params, exchange } = call
      const problem = await archiveOperations.checkPublish.run(context.parts, params, params.version)
      if (!problem.ok) return problem
      const format = formatOf(exchange)
      if (typeof format === 'object') return format
      const limit = limitOf(call)
      return (exchange.body?.length ?? 0) > limit ? tooLarge(limit) : undefined
    },
    run: publish,
    with: (call) => {
      const { context, params, exchange, query } = call
      const format = formatOf(exchange)
      if (typeof format === 'object') return format
      const labels =
        query.label === undefined ? undefined : new URLSearchParams(exchange.search).getAll('label')
      const input = {
        description: query.description,
        source: query.source,
        labels,
        version: params.version,
        format,
        owner: context.publisher?.name,
        maxBytes: limitOf(call),
      }
      return [params, input, exchange.body?.stream() ?? noBytes()]
    },
    show: ({ number, details }) => {
      const { namespace, name, provider } = details.row
      const location = `${bases.v1}/${namespace}/${name}/${provider}/${encodeURIComponent(number)}`
      return reply(toDetail(details), { status: 201, headers: { location } })
    },
  }),
  operationRoute({
    id: 'registry.remove',
    method: 'DELETE',
    path: versionPath,
    summary: 'Remove a version, and its archive where this registry keeps it',
    access: access.publish,
    refusals: ['namespace_forbidden'],
    before: checkNamespace,
    run: writeOperations.removeVersion,
    with: ({ params }) => [params, params.version],
  }),
  operationRoute({
    id: 'registry.removeModule',
    method: 'DELETE',
    path: modulePath,
    summary: 'Remove a module with all its versions and archives',
    access: access.publish,
    refusals: ['namespace_forbidden'],
    before: checkNamespace,
    run: writeOperations.removeModule,
    with: ({ params }) => [params],
  }),
  operationRoute({
    id: 'registry.update',
    method: 'PATCH',
    path: modulePath,
    summary: 'Change what a module says about itself; `verified` needs an administrator',
    access: access.publish,
    body: z.strictObject({
      description: z.string().optional(),
      source: z.string().optional(),
      labels: z.array(z.string()).optional(),
      verified: z.boolean().optional(),
    }),
    refusals: ['namespace_forbidden', 'administrator_required'],
    before: checkNamespace,
    run: writeOperations.updateModule,
    with: ({ context, params, body }) =>
      body.verified !== undefined && !context.publisher?.administrator
        ? refuse('administrator_required', 'only an administrator says whether a module is verified')
        : [params, body],
  }),
  operationRoute({
    id: 'registry.rename',
    method: 'POST',
    path: `${modulePath}/rename`,
    summary: 'Move a module to another address, to which the old one redirects',
    access: access.publish,
    body: z.strictObject({
      namespace: z.string().optional(),
      name: z.string().optional(),
      provider: z.string().optional(),
    }),
    refusals: ['namespace_forbidden'],
    before: checkNamespace,
    run: writeOperations.renameModule,
    with: ({ context, params, body }) => {
      const { namespace = params.namespace, name = params.name, provider = params.provider } = body
      const to = { namespace, name, provider }
      return checkNamespace({ context, params: to }) ?? [params, to]
    },
  }),
  operationRoute({
    id: 'registry.deprecate',
    method: 'PUT',
    path: `${versionPath}/deprecation`,
    summary: 'Mark a version as deprecated, and say what to use instead',
    access: access.publish,
    body: z.strictObject({ reason: z.string(), link: z.string().optional() }),
    refusals: ['namespace_forbidden'],
    before: checkNamespace,
    run: writeOperations.deprecateVersion,
    with: ({ params, body }) => [params, params.version, body],
  }),
  operationRoute({
    id: 'registry.reinstate',
    method: 'DELETE',
    path: `${versionPath}/deprecation`,
    summary: 'Take the mark off a deprecated version',
    access: access.publish,
    refusals: ['namespace_forbidden'],
    before: checkNamespace,
    run: writeOperations.deprecateVersion,
    with: ({ params }) => [params, params.version, null],
  }),
  operationRoute({
    id: 'registry.archive',
    method: 'GET',
    path: `${versionPath}/archive`,
    summary: 'Fetch the archive of a version, byte for byte as it was published',
    access: access.archive,
    refusals: [...fetching, 'version_not_found'],
    ...archive,
    run: archiveOperations.findArchive,
    with: ({ context, params }) => [params, params.version, context.reader],
    show: async (found, { context: { tickets, ticket }, params, exchange }) => {
      if (ticket !== undefined && !(await tickets?.isValid(ticket, found.blob)))
        return refuse('unauthorized', 'the address of the archive has expired: ask for the download again')
      return (await send(exchange, params, found)) ?? gone
    },
  }),
]

const gone = refuse('version_not_found', 'the version was removed meanwhile')

async function* noBytes(): AsyncGenerator<Uint8Array> {}

const limitOf = ({
  context,
  exchange,
}: Pick<Call<RegistryContext, unknown, unknown>, 'context' | 'exchange'>) =>
  Math.min(exchange.maxBodyBytes ?? context.archiveBytes, context.archiveBytes)

const tooLarge = (limit: number) => refuse('archive_too_large', `the archive is larger than ${limit} bytes`)

/** Sends an archive, or the requested part of it; undefined if it was deleted meanwhile. */
async function send(
  exchange: Exchange,
  { namespace, name, provider, version }: ModuleAddress & { readonly version: string },
  { size, sha256, format, publishedMicros, open, address }: OpenableArchive,
): Promise<Reply | Refused<(typeof fetching)[number]> | undefined> {
  const kept = { size, etag: `"${sha256}"`, lastModified: Math.floor(publishedMicros / 1000) }
  const fileName = `${namespace}-${name}-${provider}-${version}.${format}`.replace(/[^\w.+-]/g, '_')
  const headers = {
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename="${fileName}"`,
    etag: kept.etag,
    'last-modified': new Date(kept.lastModified).toUTCString(),
  }
  const condition = conditionOf(exchange, kept)
  if (condition === 'unchanged') return { status: 304, headers }
  if (condition === 'changed')
    return refuse('archive_changed', 'the archive is not the one that the request is meant for', { headers })
  const slice = sliceFor(exchange, kept)
  if (slice.kind === 'outside')
    return refuse('range_outside', `the archive has ${size} bytes: the range is outside of it`, {
      headers: { ...headers, 'content-range': `bytes */${size}` },
    })
  const { start, end, kind } = slice
  const answer = {
    status: kind === 'whole' ? 200 : 206,
    headers: {
      ...headers,
      'content-length': String(end - start),
      'content-type': typeOf[format],
      ...(kind === 'whole' ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
    },
  }
  if (exchange.method !== 'GET') return answer
  if (address) return redirect(302, await address())
  const body = await open({ start, end })
  return body && raw(body, typeOf[format], answer)
}
