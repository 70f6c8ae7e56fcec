import { reply } from '../../http/index.ts'
import { refuse } from '../../kernel/index.ts'
import { readPage } from '../../paging/index.ts'
import { boxOperations } from '../operations/boxes.ts'
import { searchOperations } from '../operations/search.ts'
import { sorts } from '../search/row.ts'
import { AccountQuery, BoxBody, searchQueries } from '../wire/bodies.ts'
import { replies } from '../wire/replies.ts'
import { accountView, boxView, listedBoxView, voiceOf } from '../wire/views.ts'
import { access, asBox, asSpelled, operationRoute, writing } from './context.ts'

const orders = ['desc', 'asc'] as const

/** One of a list, by default the first; `undefined` for anything else. */
const choose = <const Choice extends string>(choices: readonly Choice[], said: string | undefined) =>
  said === undefined || said === '' ? choices[0] : choices.find((choice) => choice === said)

/** Accepts either spelling. */
const architectureOf = ({ architecture, architcture }: Readonly<Record<string, string | undefined>>) =>
  architecture || architcture

const accountRoute = (api: 1 | 2) =>
  operationRoute({
    id: `v${api}.user.read`,
    method: 'GET',
    path: `/api/v${api}/user/:username`,
    summary: 'Read a user or an organization, with the boxes the caller may see',
    access: access.read,
    refusals: ['invalid_page'],
    reply: replies[api].Account,
    query: AccountQuery,
    run: boxOperations.readAccount,
    with: ({ params, query }) => {
      const page = readPage(query, { defaultLimit: 100, maxLimit: 100 })
      if (!page.ok) return page
      const { limit } = page.value
      const of = { offset: (page.value.page - 1) * limit, limit }
      // The client looks its boxes up in this answer, and asks for no other page.
      const all = query.page === undefined && query.limit === undefined
      return [params.username, all ? {} : of]
    },
    show: asSpelled(api, accountView),
  })

const searchRoute = (api: 1 | 2) =>
  operationRoute({
    id: `v${api}.search`,
    method: 'GET',
    path: `/api/v${api}/search`,
    summary: 'Search boxes by user name, name and short description',
    access: access.read,
    refusals: ['invalid_page', 'invalid_search'],
    reply: replies[api].Search,
    query: searchQueries[api],
    run: searchOperations.search,
    with: ({ query }) => {
      const page = readPage(query, { defaultLimit: 10, maxLimit: 100 })
      if (!page.ok) return page
      const sort = choose(sorts, query.sort)
      const order = choose(orders, query.order)
      if (!sort) return refuse('invalid_search', `sort must be one of ${sorts.join(', ')}`)
      if (!order) return refuse('invalid_search', `order must be one of ${orders.join(', ')}`)
      const { limit } = page.value
      const { q, provider } = query
      const offset = (page.value.page - 1) * limit
      return [{ q, provider, architecture: architectureOf(query), sort, order, offset, limit }]
    },
    answer: (found, { context }) => {
      // One renderer for all of them: its budget is per answer.
      const all = voiceOf(api, context)
      return reply({ boxes: found.map((detail) => listedBoxView(all, detail)) })
    },
  })

/** Accounts, boxes and the search, in one version of the API. */
export const boxRoutes = (api: 1 | 2) => {
  const shown = { reply: replies[api].Box, show: asSpelled(api, boxView) } as const
  return [
    accountRoute(api),
    searchRoute(api),
    operationRoute({
      id: `v${api}.box.create`,
      method: 'POST',
      path: `/api/v${api}/boxes`,
      summary: 'Create a box, private by default',
      ...writing,
      ...shown,
      ...BoxBody,
      run: boxOperations.createBox,
      with: ({ context: { caller }, body }) => {
        const own = caller.kind === 'user' ? caller.username : ''
        return [{ ...body, username: body.username ?? own, name: body.name ?? '' }]
      },
    }),
    operationRoute({
      id: `v${api}.box.read`,
      method: 'GET',
      path: `/api/v${api}/box/:username/:name`,
      summary: 'Read a box with its versions',
      access: access.read,
      reply: replies[api].Box,
      run: boxOperations.readBox,
      with: ({ params }) => [params],
      show: asBox('box', api),
    }),
    operationRoute({
      id: `v${api}.box.update`,
      method: 'PUT',
      path: `/api/v${api}/box/:username/:name`,
      summary: 'Change the descriptions, the privacy or the name of a box',
      ...writing,
      ...shown,
      ...BoxBody,
      run: boxOperations.updateBox,
      with: ({ params, body }) => [params, body],
    }),
    operationRoute({
      id: `v${api}.box.delete`,
      method: 'DELETE',
      path: `/api/v${api}/box/:username/:name`,
      summary: 'Delete a box with its versions and images',
      ...writing,
      ...shown,
      run: boxOperations.deleteBox,
      with: ({ params }) => [params],
    }),
  ]
}
