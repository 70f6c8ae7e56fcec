import * as z from 'zod'
import { route } from '../../../http/index.ts'
import { answerDone, answerTwice, notFound, type SecretsContext } from '../core/context.ts'
import { body, textField } from '../core/fields.ts'
import { pageOf } from '../core/list-page.ts'
import { mayWarn, orNothing, twice } from '../core/reply-shapes.ts'
import { policyOperations } from './operations.ts'

const at = route<SecretsContext>()

const text = z.string()
const texts = z.array(text)

export const PolicyNames = twice({ keys: texts })
export const OldPolicyNames = twice({ keys: texts, policies: texts })
export const Policy = twice({ name: text, policy: text })
export const OldPolicy = twice({ name: text, rules: text })

const PolicyBody = body({ policy: textField, rules: textField })

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

/** The routes of policies. */
export const policyRoutes = [...policiesAt('/policies/acl', 'policies'), ...policiesAt('/policy', 'policy')]
