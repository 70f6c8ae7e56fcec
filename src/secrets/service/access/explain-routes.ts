import * as z from 'zod'
import { route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import {
  type AccessExplanation,
  type Acl,
  type AclRequest,
  explainAccess,
  needsSudo,
  normalisePolicies,
} from '../../acl/index.ts'
import { answerWith, operationNames, type SecretsContext } from '../core/context.ts'
import { isRefused } from '../core/core.ts'
import { body, integerField, listField, textField } from '../core/fields.ts'
import { enveloped } from '../core/reply-shapes.ts'
import { aclOf } from '../policies/compiled.ts'
import { policyNames } from '../policies/operations.ts'
import { policyExists } from '../policies/records.ts'
import { findToken } from '../tokens/find-token.ts'
import { livingOf, tokenRecords } from '../tokens/records.ts'
import { rightsOf } from './rights.ts'

const at = route<SecretsContext>()

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

/** How many tokens are read before other requests continue. */
const slice = 500

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

/** The rights in question, and the namespace of their rules. */
async function subjectOf(
  { core, namespace, caller }: SecretsContext,
  { token, accessor, policies }: z.output<typeof ExplainBody>,
): Promise<
  | { readonly acl: Acl; readonly home: string; readonly warnings: readonly string[] }
  | Refused<'explain_invalid' | 'bad_token' | 'bad_accessor'>
> {
  if ([token, accessor, policies].filter((given) => given !== undefined).length > 1)
    return refuse('explain_invalid', 'provide one of token, accessor and policies')
  const now = await core.fresh()
  if (policies !== undefined) {
    const names = normalisePolicies(policies)
    const warnings = names
      .filter((name) => !policyExists(now, namespace, name))
      .map((name) => `policy ${JSON.stringify(name)} does not exist`)
    return { acl: await aclOf(core, now, namespace, names), home: namespace.path, warnings }
  }
  const named = token === undefined ? accessor !== undefined && { accessor } : { token }
  const found = named ? await findToken(core, named, namespace) : caller?.token
  if (found === undefined)
    return token === undefined ? refuse('bad_accessor', 'invalid accessor') : refuse('bad_token', 'bad token')
  return { acl: await rightsOf(core, now, found), home: found.namespace, warnings: [] }
}

/** Rules relative to the namespace of their policy. */
const withinHome = (home: string, { rule, ...others }: AccessExplanation) => ({
  ...others,
  rule: rule?.startsWith(home) ? rule.slice(home.length) : rule,
})

/** The current holders of a right: policies, and the stored tokens of the namespace. */
async function whoMay({ core, namespace }: SecretsContext, asked: AclRequest, limit: number) {
  const now = await core.fresh()
  const granting = (acl: Acl) => {
    const { allowed, policy, rule, line } = withinHome(namespace.path, explainAccess(acl, asked))
    return allowed ? { policy, rule, line } : undefined
  }
  const policies = []
  for (const name of await policyNames({ core, namespace })) {
    const granted = granting(await aclOf(core, now, namespace, [name]))
    if (granted) policies.push(granted)
  }
  // Tokens with the same policies share one set of rights.
  const known = new Map<Acl, ReturnType<typeof granting>>()
  const isAlive = livingOf(now, core.env().now)
  const tokens = []
  for (const [place, { value: token }] of tokenRecords.list(now).entries()) {
    if (place % slice === slice - 1) await nextMacrotask()
    if (token.namespace !== namespace.path || !isAlive(token)) continue
    const acl = await rightsOf(core, now, token)
    if (!known.has(acl)) known.set(acl, granting(acl))
    const granted = known.get(acl)
    if (granted === undefined) continue
    if (tokens.length === limit) return { policies, tokens, more: true }
    const { accessor, displayName, policies: names, entity } = token
    tokens.push({
      accessor,
      display_name: displayName,
      policies: names,
      entity_id: entity?.id ?? '',
      ...granted,
    })
  }
  return { policies, tokens, more: false }
}

/** The routes that explain why a request would be allowed or refused. */
export const aclRoutes = [
  at({
    id: 'sys.explain-access',
    method: 'POST',
    path: '/internal/acl/explain',
    summary: 'Explain which rule decides the access of a token, or of policies, to a path',
    access: 'update',
    body: ExplainBody,
    refusals: ['explain_invalid', 'bad_token', 'bad_accessor'],
    reply: Explained,
    handle: async ({ context, body }) => {
      const asked = askedOf(context, body)
      if (isRefused(asked)) return asked
      const subject = await subjectOf(context, body)
      if (isRefused(subject)) return subject
      const data = withinHome(subject.home, explainAccess(subject.acl, asked))
      return answerWith(context, { data, warnings: subject.warnings })
    },
  }),
  at({
    id: 'sys.who-may',
    method: 'POST',
    path: '/internal/acl/who',
    summary: 'List the policies and stored tokens of the namespace with access to a path',
    access: 'update and sudo',
    body: WhoBody,
    refusals: ['explain_invalid'],
    reply: Who,
    handle: async ({ context, body }) => {
      const asked = askedOf(context, body)
      if (isRefused(asked)) return asked
      const limit = body.limit === undefined || body.limit <= 0 ? usualLimit : body.limit
      return answerWith(context, { data: await whoMay(context, asked, limit) })
    },
  }),
]
