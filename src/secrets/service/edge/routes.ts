import * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { allowedHeaders } from '../../headers/cross-origin.ts'
import { canonicalName } from '../../headers/custom-headers.ts'
import { answerDone, answerKeys, answerTwice, notFound, type SecretsContext } from '../core/context.ts'
import { body, listField } from '../core/fields.ts'
import { listsKeys, orNothing, twice } from '../core/reply-shapes.ts'

const at = route<SecretsContext>()

const text = z.string()
const texts = z.array(text)
const yes = z.boolean()

export const Cors = twice({
  enabled: yes,
  allowed_origins: texts.optional(),
  allowed_headers: texts.optional(),
})
export const UiHeader = twice({ value: text.optional(), values: texts.optional() })

const CorsBody = body({ allowed_origins: listField, allowed_headers: listField })
const HeaderBody = body({ values: listField })

/** The routes of edge settings: CORS rules, and headers of the user interface. */
export const edgeRoutes = [
  at({
    id: 'sys.read-cors',
    method: 'GET',
    path: '/config/cors',
    summary: 'Read the CORS configuration',
    access: 'read and sudo',
    reply: Cors,
    handle: async ({ context }) => {
      const { cors } = await context.services.edge.read()
      return answerTwice(
        context,
        cors === null
          ? { enabled: false }
          : {
              enabled: true,
              allowed_origins: cors.allowedOrigins,
              allowed_headers: allowedHeaders(cors, context.services.core.words.all),
            },
      )
    },
  }),
  at({
    id: 'sys.write-cors',
    method: 'POST',
    path: '/config/cors',
    summary: 'Configure CORS',
    access: 'update and sudo',
    body: CorsBody,
    success: 204,
    refusals: ['cors_origins'],
    handle: async ({ context, body: given }) => {
      const result = await context.services.edge.writeCors({
        allowedOrigins: given.allowed_origins ?? [],
        allowedHeaders: given.allowed_headers ?? [],
      })
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'sys.delete-cors',
    method: 'DELETE',
    path: '/config/cors',
    summary: 'Delete the CORS configuration',
    access: 'delete and sudo',
    success: 204,
    handle: async ({ context }) => {
      const result = await context.services.edge.removeCors()
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'sys.ui-headers',
    method: 'LIST',
    path: '/config/ui/headers',
    summary: 'List the custom response headers of the user interface',
    access: 'list and sudo',
    ...listsKeys,
    handle: async ({ context }) => {
      const { uiHeaders } = await context.services.edge.read()
      return answerKeys(context, Object.keys(uiHeaders).sort())
    },
  }),
  at({
    id: 'sys.read-ui-header',
    method: 'GET',
    path: '/config/ui/headers/:header',
    summary: 'Read a custom response header of the user interface; all its values with multivalue=true',
    access: 'read and sudo',
    query: z.object({ multivalue: z.string().optional().describe('true returns all values') }),
    reply: UiHeader,
    ...orNothing,
    handle: async ({ context, params, query }): Promise<Reply> => {
      const { uiHeaders } = await context.services.edge.read()
      const name = canonicalName(params.header) ?? ''
      const values = Object.hasOwn(uiHeaders, name) ? uiHeaders[name] : undefined
      if (values === undefined) return notFound
      const all = /^(1|t|true)$/i.test(query['multivalue'] ?? '')
      return answerTwice(context, all ? { values } : { value: values[0] ?? '' })
    },
  }),
  at({
    id: 'sys.write-ui-header',
    method: 'POST',
    path: '/config/ui/headers/:header',
    summary: 'Set a custom response header of the user interface',
    access: 'update and sudo',
    body: HeaderBody,
    success: 204,
    refusals: ['invalid_response_headers'],
    handle: async ({ context, params, body: given }) => {
      const { core, edge } = context.services
      if (!given.values?.length) return refuse('invalid_response_headers', 'header values must be provided')
      const prefix = core.words.all.find((word) =>
        params.header.toLowerCase().startsWith(`x-${word.toLowerCase()}-`),
      )
      if (prefix !== undefined) return refuse('invalid_response_headers', `X-${prefix} headers cannot be set`)
      const result = await edge.writeUiHeader(params.header, given.values)
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'sys.delete-ui-header',
    method: 'DELETE',
    path: '/config/ui/headers/:header',
    summary: 'Delete a custom response header of the user interface',
    access: 'delete and sudo',
    success: 204,
    handle: async ({ context, params }) => {
      const result = await context.services.edge.removeUiHeader(params.header)
      return result.ok ? answerDone(context) : result
    },
  }),
]
