import type * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { capabilitiesOf, resultantAcl } from '../../acl/index.ts'
import type { Token } from '../../tokens/index.ts'
import { answerDone, answerTwice, notFound, type SecretsContext } from '../context.ts'
import { isRefused } from '../core.ts'
import { body, listField, textField } from '../fields.ts'
import { pageOf } from '../list-page.ts'
import { policyOperations } from '../operations/policies.ts'
import { mayWarn, orNothing } from '../reply-shapes.ts'
import { rightsOf } from '../request/rights.ts'
import { Capabilities, OldPolicy, OldPolicyNames, Policy, PolicyNames, ResultantAcl } from './replies.ts'

const at = route<SecretsContext>()

const PolicyBody = body({ policy: textField, rules: textField })

const PathsBody = body({ paths: listField, path: listField, token: textField, accessor: textField })

/** The routes of policies: the current ones, and older ones that clients still use. */
const policiesAt = (root: '/policies/acl' | '/policy', id: 'policies' | 'policy') => {
  const old = root === '/policy'
  return [
    at({
      id: `sys.list-${id}`,
      method: old ? ['LIST', 'GET'] : 'LIST',
      path: root,
      summary: 'List the policies',
      access: 'list',
      reply: old ? OldPolicyNames : PolicyNames,
      handle: async ({ context }) => {
        const keys = pageOf(await context.services.policies.list(context.namespace), context.page)
        if (keys.length === 0) return notFound
        return old ? answerTwice(context, { keys, policies: keys }) : answerTwice(context, { keys })
      },
    }),
    at({
      id: `sys.read-${id}`,
      method: 'GET',
      path: `${root}/*name`,
      summary: 'Read a policy',
      access: 'read',
      reply: old ? OldPolicy : Policy,
      ...orNothing,
      handle: async ({ context, params }) => {
        const policy = await context.services.policies.read(context.namespace, params['name'] ?? '')
        if (!policy) return notFound
        const { name, text } = policy
        return answerTwice(context, old ? { name, rules: text } : { name, policy: text })
      },
    }),
    at({
      id: `sys.write-${id}`,
      method: 'POST',
      path: `${root}/*name`,
      summary: 'Write a policy',
      access: 'create or update',
      body: PolicyBody,
      runs: [policyOperations.write],
      ...mayWarn,
      handle: async ({ context, params, body }) => {
        const name = params['name'] ?? ''
        const text = body.policy || body.rules || ''
        const result = await policyOperations.write.run(context, name, text)
        if (!result.ok) return result
        const lower = result.value.name
        return answerDone(
          context,
          lower === name ? [] : [`policy name was converted to lower case: "${lower}"`],
        )
      },
    }),
    at({
      id: `sys.delete-${id}`,
      method: 'DELETE',
      path: `${root}/*name`,
      summary: 'Delete a policy',
      access: 'delete',
      success: 204,
      runs: [policyOperations.delete],
      handle: async ({ context, params }) => {
        const result = await policyOperations.delete.run(context, params['name'] ?? '')
        return result.ok ? answerDone(context) : result
      },
    }),
  ]
}

/** The capabilities of a token at some paths: a map, and for a single path also the bare list. */
async function capabilities(
  context: SecretsContext,
  token: Token | undefined,
  asked: readonly string[],
): Promise<Reply> {
  const acl = await rightsOf(context.services, await context.services.core.fresh(), token)
  const found: Record<string, readonly string[]> = Object.create(null)
  for (const path of asked)
    found[path] = capabilitiesOf(acl, context.namespace.path + path.replace(/^\/+/, ''))
  const [only] = asked
  if (asked.length === 1 && only !== undefined) found['capabilities'] = found[only] ?? ['deny']
  return answerTwice(context, found)
}

const withCapabilities = (rules: Readonly<Record<string, readonly string[]>>) => {
  const shown: Record<string, { readonly capabilities: readonly string[] }> = Object.create(null)
  for (const [pattern, names] of Object.entries(rules)) shown[pattern] = { capabilities: names }
  return shown
}

/** The maximum number of paths per request: each is matched against the rules, and every token may ask. */
const mostPaths = 1000

/** The queried paths; none, or too many, are refused. */
const pathsOf = ({
  paths,
  path,
}: z.output<typeof PathsBody>): readonly string[] | Refused<'paths_missing'> => {
  const asked = paths ?? path ?? []
  if (asked.length === 0) return refuse('paths_missing', 'paths must be supplied')
  return asked.length > mostPaths
    ? refuse('paths_missing', `at most ${mostPaths} paths can be queried together`)
    : asked
}

/** The routes of policies and capabilities. */
export const policyRoutes = [
  ...policiesAt('/policies/acl', 'policies'),
  ...policiesAt('/policy', 'policy'),
  at({
    id: 'sys.resultant-acl',
    method: 'GET',
    path: '/internal/ui/resultant-acl',
    summary: 'List the rights of the calling token, by path',
    access: 'read',
    reply: ResultantAcl,
    handle: async ({ context }) => {
      const acl = await rightsOf(context.services, await context.services.core.fresh(), context.caller?.token)
      const { root, exact, globs } = resultantAcl(acl)
      return answerTwice(context, {
        exact_paths: withCapabilities(exact),
        glob_paths: withCapabilities(globs),
        root,
        chroot_namespace: '',
      })
    },
  }),
  at({
    id: 'sys.capabilities-self',
    method: 'POST',
    path: '/capabilities-self',
    summary: 'Read the capabilities of the calling token on paths',
    access: 'update',
    body: PathsBody,
    refusals: ['paths_missing'],
    reply: Capabilities,
    handle: ({ context, body }) => {
      const asked = pathsOf(body)
      return isRefused(asked) ? asked : capabilities(context, context.caller?.token, asked)
    },
  }),
  ...(['token', 'accessor'] as const).map((by) =>
    at({
      id: `sys.capabilities-${by}`,
      method: 'POST',
      path: by === 'token' ? '/capabilities' : '/capabilities-accessor',
      summary: `Read the capabilities of a token, by its ${by === 'token' ? 'ID' : by}, on paths`,
      access: 'update',
      body: PathsBody,
      refusals: ['paths_missing', 'bad_token', 'bad_accessor'],
      reply: Capabilities,
      handle: async ({ context, body }) => {
        const asked = pathsOf(body)
        if (isRefused(asked)) return asked
        const name = by === 'token' ? { token: body.token ?? '' } : { accessor: body.accessor ?? '' }
        const found = await context.services.tokens.find(name, context.namespace)
        if (found) return capabilities(context, found, asked)
        return by === 'token' ? refuse('bad_token', 'bad token') : refuse('bad_accessor', 'invalid accessor')
      },
    }),
  ),
]
