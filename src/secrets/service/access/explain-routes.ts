import * as z from 'zod'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { type AclRequest, needsSudo } from '../../acl/index.ts'
import { answerWith, asData, operationNames, operationRoute, type SecretsContext } from '../core/context.ts'
import { body, integerField, listField, textField } from '../core/fields.ts'
import { enveloped } from '../core/reply-shapes.ts'
import { accessOperations } from './operations.ts'

const Question = { path: textField, operation: textField }
const ExplainBody = body({ ...Question, token: textField, accessor: textField, policies: listField })
const WhoBody = body({ ...Question, limit: integerField })

const text = z.string()
const Explained = enveloped(
  z.object({
    allowed: z.boolean(),
    policy: text.nullable().describe('the deciding policy'),
    rule: text.nullable().describe('the pattern of its rule, relative to the namespace of the policy'),
    line: z.int().nullable(),
    capability: text.nullable().describe('the capability by which the rule allows it, or deny'),
    needed: text.nullable().describe('the required capabilities; may include sudo'),
    reason: text,
    text: text,
  }),
).meta({ id: 'AccessExplanation' })
const Granting = z.object({ policy: text.nullable(), rule: text.nullable(), line: z.int().nullable() })
const Who = enveloped(
  z.object({
    policies: z.array(Granting).describe('the policies that allow it on their own'),
    tokens: z.array(
      Granting.extend({ accessor: text, display_name: text, policies: z.array(text), entity_id: text }),
    ),
    more: z.boolean().describe('whether more tokens exist than the limit'),
  }),
).meta({ id: 'WhoMay' })

/** The default number of tokens in a list. */
const usualLimit = 1000

/** The queried right, in the namespace of the caller. */
function askedOf(
  { namespace }: SecretsContext,
  given: { readonly path?: string | undefined; readonly operation?: string | undefined },
): AclRequest | Refused<'explain_invalid'> {
  const path = (given.path ?? '').replace(/^\/+/, '')
  if (path === '') return refuse('explain_invalid', 'path must be supplied')
  const operation = operationNames.find((name) => name === given.operation?.toLowerCase())
  return operation === undefined
    ? refuse('explain_invalid', `operation must be one of ${operationNames.join(', ')}`)
    : { path: namespace.path + path, operation, needsSudo: needsSudo(path, operation) }
}

/** The routes that explain why a request would be allowed or refused. */
export const aclRoutes = [
  operationRoute({
    id: 'sys.explain-access',
    method: 'POST',
    path: '/internal/acl/explain',
    summary: 'Explain which rule decides the access of a token, or of policies, to a path',
    access: 'update',
    body: ExplainBody,
    refusals: ['explain_invalid'],
    reply: Explained,
    run: accessOperations.explain,
    with: ({ context, body }) => {
      const asked = askedOf(context, body)
      return isRefused(asked) ? asked : [asked, body]
    },
    show: (explained, { context }) => answerWith(context, explained),
  }),
  operationRoute({
    id: 'sys.who-may',
    method: 'POST',
    path: '/internal/acl/who',
    summary: 'List the policies and stored tokens of the namespace with access to a path',
    access: 'update and sudo',
    body: WhoBody,
    refusals: ['explain_invalid'],
    reply: Who,
    run: accessOperations.whoMay,
    with: ({ context, body }) => {
      const asked = askedOf(context, body)
      const limit = body.limit === undefined || body.limit <= 0 ? usualLimit : body.limit
      return isRefused(asked) ? asked : [asked, limit]
    },
    show: asData((who) => who),
  }),
]
