import * as z from 'zod'
import { compile, type Filter, FilterError } from '../../../filter/index.ts'
import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { decide } from '../../acl/index.ts'
import { asFolder } from '../../kv1/index.ts'
import type { Secret } from '../../kv2/model.ts'
import { answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { listsKeys, orNothing, PageQuery } from '../core/reply-shapes.ts'
import { kvOperations } from './operations.ts'
import { DetailedReply } from './replies.ts'
import { listSecrets } from './versioned-reads.ts'
import { metadataWire } from './wire.ts'

const at = route<SecretsContext>()

const Query = PageQuery.extend({
  filter: z.string().optional().describe('an expression on custom metadata, such as owner == "ada"'),
})

type ListRefusal = (typeof kvOperations.list.refuses)[number] | 'filter_invalid'

/** The fields of a secret in filters: each custom metadata key by its name, and all of them as `custom_metadata`. */
const rowOf = ({ customMetadata }: Secret): Readonly<Record<string, unknown>> => {
  const notes = customMetadata ?? {}
  return { ...notes, custom_metadata: notes }
}

const badFilter = (error: FilterError): Refused<'filter_invalid'> =>
  refuse('filter_invalid', `failed to read filter expression: ${error.message}`)

/** Lists a folder, or all paths below it, with or without details. */
async function list(
  context: SecretsContext,
  folder: string,
  filterText: string | undefined,
  detailed: boolean,
): Promise<Reply | Refused<ListRefusal>> {
  let filter: Filter<Readonly<Record<string, unknown>>> | undefined
  try {
    filter = filterText?.trim() ? compile(filterText, { unknown: '' }) : undefined
    return await listBy(context, folder, filter, detailed)
  } catch (error) {
    if (error instanceof FilterError) return badFilter(error)
    throw error
  }
}

async function listBy(
  context: SecretsContext,
  folder: string,
  filter: Filter<Readonly<Record<string, unknown>>> | undefined,
  detailed: boolean,
): Promise<Reply | Refused<ListRefusal>> {
  const { page, operation, namespace, mount, decided } = context
  const found = new Map<string, Secret>()
  // Custom metadata is only for callers that may read it: a filtered list of names must not reveal it.
  const mayRead = (name: string) =>
    detailed ||
    (decided !== undefined &&
      decide(decided.acl, {
        path: `${namespace.path}${mount.path}metadata/${asFolder(folder)}${name}`,
        operation: 'read',
      }).allowed)
  const passes = (name: string, secret: Secret | undefined): boolean => {
    if (secret !== undefined) found.set(name, secret)
    if (filter === undefined) return true
    return secret !== undefined && mayRead(name) && filter.test(rowOf(secret))
  }
  const result = await listSecrets(context, folder, {
    ...page,
    deep: operation === 'scan',
    passes: filter === undefined && !detailed ? undefined : passes,
  })
  if (!result.ok) return result
  const keys = result.value
  if (keys.length === 0) return notFound
  if (!detailed) return answerWith(context, { data: { keys } })
  const info: Record<string, unknown> = Object.create(null)
  for (const name of keys) {
    const secret = found.get(name)
    if (secret) info[name] = metadataWire(secret)
  }
  return answerWith(context, { data: { keys, key_info: info } })
}

/** The routes that list versioned secrets, relative to their mount. */
export const listRoutes = (['metadata', 'detailed-metadata'] as const).flatMap((root) => {
  const detailed = root === 'detailed-metadata'
  const suffix = detailed ? '-detailed' : ''
  return (['/*path', ''] as const).map((tail) =>
    at({
      id: `kv2.list${suffix}${tail === '' ? '-root' : ''}`,
      method: ['LIST', 'SCAN'],
      path: `/${root}${tail}`,
      summary: `List the secrets and folders ${tail === '' ? 'of the mount' : 'in a folder'}${detailed ? ', with the metadata of each secret' : ''}`,
      description:
        '`SCAN`, or `scan=true`, lists the paths of all secrets below instead, and requires the capability `scan`. A `filter` lists only secrets whose custom metadata matches and whose metadata the caller may read.',
      access: 'list (scan: scan)',
      query: Query,
      runs: [kvOperations.list],
      refusals: ['filter_invalid'],
      ...(detailed ? { reply: DetailedReply, ...orNothing } : listsKeys),
      handle: ({ context, params, query }) => list(context, params['path'] ?? '', query.filter, detailed),
    }),
  )
})
