import { reply } from '../../http/index.ts'
import { refuse } from '../../kernel/index.ts'
import { readPage } from '../../paging/index.ts'
import { boxOperations } from '../operations/boxes.ts'
import { type Sort, sorts } from '../search/row.ts'
import { AccountQuery, BoxBody, searchQueries } from '../wire/bodies.ts'
import { replies } from '../wire/replies.ts'
import { accountView, boxView, listedBoxView, voiceOf } from '../wire/views.ts'
import { access, answered, answeredBox, type CatalogContext, define, writing } from './context.ts'

const orders = ['desc', 'asc'] as const

/** One of a list, by default the first; `undefined` for anything else. */
const choose = <const Choice extends string>(choices: readonly Choice[], said: string | undefined) =>
  said === undefined || said === '' ? choices[0] : choices.find((choice) => choice === said)

/** Accepts either spelling. */
const architectureOf = ({ architecture, architcture }: Readonly<Record<string, string | undefined>>) =>
  architecture || architcture

/** Accounts, boxes and the search, in one version of the API. */
export const boxRoutes = (api: 1 | 2) => {
  const voice = (context: CatalogContext) => voiceOf(api, context)
  return [
    define({
      id: `v${api}.user.read`,
      method: 'GET',
      path: `/api/v${api}/user/:username`,
      summary: 'Read a user or an organization, with the boxes the caller may see',
      access: access.read,
      runs: [boxOperations.readAccount],
      refusals: ['invalid_page'],
      reply: replies[api].Account,
      query: AccountQuery,
      handle: async ({ context, params, query }) => {
        const page = readPage(query, { defaultLimit: 100, maxLimit: 100 })
        if (!page.ok) return page
        const { limit } = page.value
        const of = { offset: (page.value.page - 1) * limit, limit }
        // The client looks its boxes up in this answer, and asks for no other page.
        const all = query.page === undefined && query.limit === undefined
        return answered(await context.catalog.readAccount(params.username, all ? {} : of), (value) =>
          accountView(voice(context), value),
        )
      },
    }),
    define({
      id: `v${api}.search`,
      method: 'GET',
      path: `/api/v${api}/search`,
      summary: 'Search boxes by user name, name and short description',
      access: access.read,
      refusals: ['invalid_page', 'invalid_search'],
      reply: replies[api].Search,
      query: searchQueries[api],
      handle: async ({ context, query }) => {
        const page = readPage(query, { defaultLimit: 10, maxLimit: 100 })
        if (!page.ok) return page
        const sort = choose(sorts, query.sort)
        const order = choose(orders, query.order)
        if (!sort) return refuse('invalid_search', `sort must be one of ${sorts.join(', ')}`)
        if (!order) return refuse('invalid_search', `order must be one of ${orders.join(', ')}`)
        const { limit } = page.value
        const found = await context.catalog.search({
          q: query.q,
          provider: query.provider,
          architecture: architectureOf(query),
          sort: sort satisfies Sort,
          order,
          offset: (page.value.page - 1) * limit,
          limit,
        })
        // One renderer for all of them: its budget is per answer.
        const all = voice(context)
        return reply({ boxes: found.map((detail) => listedBoxView(all, detail)) })
      },
    }),
    define({
      id: `v${api}.box.create`,
      method: 'POST',
      path: `/api/v${api}/boxes`,
      summary: 'Create a box, private by default',
      ...writing,
      runs: [boxOperations.createBox],
      reply: replies[api].Box,
      ...BoxBody,
      handle: async ({ context, body }) => {
        const own = context.caller.kind === 'user' ? context.caller.username : ''
        return answered(
          await context.catalog.createBox({
            ...body,
            username: body.username ?? own,
            name: body.name ?? '',
          }),
          (value) => boxView(voice(context), value),
        )
      },
    }),
    define({
      id: `v${api}.box.read`,
      method: 'GET',
      path: `/api/v${api}/box/:username/:name`,
      summary: 'Read a box with its versions',
      access: access.read,
      runs: [boxOperations.readBox],
      reply: replies[api].Box,
      handle: async ({ context, params }) =>
        answeredBox(context, await context.catalog.readBox(params), 'box', api),
    }),
    define({
      id: `v${api}.box.update`,
      method: 'PUT',
      path: `/api/v${api}/box/:username/:name`,
      summary: 'Change the descriptions, the privacy or the name of a box',
      ...writing,
      runs: [boxOperations.updateBox],
      reply: replies[api].Box,
      ...BoxBody,
      handle: async ({ context, params, body }) =>
        answered(await context.catalog.updateBox(params, body), (value) => boxView(voice(context), value)),
    }),
    define({
      id: `v${api}.box.delete`,
      method: 'DELETE',
      path: `/api/v${api}/box/:username/:name`,
      summary: 'Delete a box with its versions and images',
      ...writing,
      runs: [boxOperations.deleteBox],
      reply: replies[api].Box,
      handle: async ({ context, params }) =>
        answered(await context.catalog.deleteBox(params), (value) => boxView(voice(context), value)),
    }),
  ]
}
