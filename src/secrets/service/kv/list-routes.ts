import * as z from 'zod'
import { answerWith, notFound, operationRoute } from '../core/context.ts'
import { JsonText } from '../core/envelope.ts'
import { listsKeys, orNothing, PageQuery } from '../core/reply-shapes.ts'
import { listFiltered } from './list-filtered.ts'
import { DetailedReply } from './replies.ts'

const Query = PageQuery.extend({
  filter: z.string().optional().describe('an expression on custom metadata, such as owner == "ada"'),
})

/** The routes that list versioned secrets, relative to their mount. */
export const listRoutes = (['metadata', 'detailed-metadata'] as const).flatMap((root) => {
  const detailed = root === 'detailed-metadata'
  const suffix = detailed ? '-detailed' : ''
  return (['/*path', ''] as const).map((tail) =>
    operationRoute({
      id: `kv2.list${suffix}${tail === '' ? '-root' : ''}`,
      method: ['LIST', 'SCAN'],
      path: `/${root}${tail}`,
      summary: `List the secrets and folders ${tail === '' ? 'of the mount' : 'in a folder'}${detailed ? ', with the metadata of each secret' : ''}`,
      description:
        '`SCAN`, or `scan=true`, lists the paths of all secrets below instead, and requires the capability `scan`. A `filter` lists only secrets whose custom metadata matches and whose metadata the caller may read.',
      access: 'list (scan: scan)',
      query: Query,
      run: listFiltered,
      with: ({ params, query }) => [params['path'] ?? '', { filter: query.filter, detailed }],
      ...(detailed ? { reply: DetailedReply, ...orNothing } : listsKeys),
      show: ({ keys, details }, { context }) => {
        if (keys.length === 0) return notFound
        if (!detailed) return answerWith(context, { data: { keys } })
        const info: string[] = []
        for (const name of keys) {
          const shown = details.get(name)
          if (shown !== undefined) info.push(`${JSON.stringify(name)}:${shown}`)
        }
        const data = new JsonText(`{"keys":${JSON.stringify(keys)},"key_info":{${info.join(',')}}}`)
        return answerWith(context, { data })
      },
    }),
  )
})
