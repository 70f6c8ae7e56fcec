import * as z from 'zod'
import { ownValue } from '../../../kernel/objects.ts'
import { allowedHeaders } from '../../headers/cross-origin.ts'
import { canonicalName } from '../../headers/custom-headers.ts'
import { answerKeys, answerTwice, notFound, operationRoute } from '../core/context.ts'
import { body, listField } from '../core/fields.ts'
import { listsKeys, orNothing, twice } from '../core/reply-shapes.ts'
import { edgeOperations } from './settings.ts'

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
  operationRoute({
    id: 'sys.read-cors',
    method: 'GET',
    path: '/config/cors',
    summary: 'Read the CORS configuration',
    access: 'read and sudo',
    reply: Cors,
    run: edgeOperations.read,
    show: ({ cors }, { context }) =>
      answerTwice(
        context,
        cors === null
          ? { enabled: false }
          : {
              enabled: true,
              allowed_origins: cors.allowedOrigins,
              allowed_headers: allowedHeaders(cors, context.core.words.all),
            },
      ),
  }),
  operationRoute({
    id: 'sys.write-cors',
    method: 'POST',
    path: '/config/cors',
    summary: 'Configure CORS',
    access: 'update and sudo',
    body: CorsBody,
    run: edgeOperations.writeCors,
    with: ({ body: given }) => [
      { allowedOrigins: given.allowed_origins ?? [], allowedHeaders: given.allowed_headers ?? [] },
    ],
  }),
  operationRoute({
    id: 'sys.delete-cors',
    method: 'DELETE',
    path: '/config/cors',
    summary: 'Delete the CORS configuration',
    access: 'delete and sudo',
    run: edgeOperations.removeCors,
  }),
  operationRoute({
    id: 'sys.ui-headers',
    method: 'LIST',
    path: '/config/ui/headers',
    summary: 'List the custom response headers of the user interface',
    access: 'list and sudo',
    ...listsKeys,
    run: edgeOperations.read,
    show: ({ uiHeaders }, { context }) => answerKeys(context, Object.keys(uiHeaders).sort()),
  }),
  operationRoute({
    id: 'sys.read-ui-header',
    method: 'GET',
    path: '/config/ui/headers/:header',
    summary: 'Read a custom response header of the user interface; all its values with multivalue=true',
    access: 'read and sudo',
    query: z.object({ multivalue: z.string().optional().describe('true returns all values') }),
    reply: UiHeader,
    ...orNothing,
    run: edgeOperations.read,
    show: ({ uiHeaders }, { context, params, query }) => {
      const name = canonicalName(params.header) ?? ''
      const values = ownValue(uiHeaders, name)
      if (values === undefined) return notFound
      const all = /^(1|t|true)$/i.test(query['multivalue'] ?? '')
      return answerTwice(context, all ? { values } : { value: values[0] ?? '' })
    },
  }),
  operationRoute({
    id: 'sys.write-ui-header',
    method: 'POST',
    path: '/config/ui/headers/:header',
    summary: 'Set a custom response header of the user interface',
    access: 'update and sudo',
    body: HeaderBody,
    run: edgeOperations.writeUiHeader,
    with: ({ params, body: given }) => [params.header, given.values ?? []],
  }),
  operationRoute({
    id: 'sys.delete-ui-header',
    method: 'DELETE',
    path: '/config/ui/headers/:header',
    summary: 'Delete a custom response header of the user interface',
    access: 'delete and sudo',
    run: edgeOperations.removeUiHeader,
    with: ({ params }) => [params.header],
  }),
]
