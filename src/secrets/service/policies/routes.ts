import * as z from 'zod'
import { answerDone, answerTwice, notFound, operationRoute } from '../core/context.ts'
import { body, textField } from '../core/fields.ts'
import { pageOf } from '../core/list-page.ts'
import { mayWarn, orNothing, twice } from '../core/reply-shapes.ts'
import { policyOperations } from './operations.ts'

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
    operationRoute({
      id: `sys.list-${id}`,
      method: old ? ['LIST', 'GET'] : 'LIST',
      path: root,
      summary: 'List the policies',
      access: 'list',
      reply: old ? OldPolicyNames : PolicyNames,
      run: policyOperations.list,
      show: (names, { context }) => {
        const keys = pageOf(names, context.page)
        if (keys.length === 0) return notFound
        return old ? answerTwice(context, { keys, policies: keys }) : answerTwice(context, { keys })
      },
    }),
    operationRoute({
      id: `sys.read-${id}`,
      method: 'GET',
      path: `${root}/*name`,
      summary: 'Read a policy',
      access: 'read',
      reply: old ? OldPolicy : Policy,
      ...orNothing,
      run: policyOperations.read,
      with: ({ params }) => [params['name'] ?? ''],
      show: (policy, { context }) => {
        if (!policy) return notFound
        const { name, text } = policy
        return answerTwice(context, old ? { name, rules: text } : { name, policy: text })
      },
    }),
    operationRoute({
      id: `sys.write-${id}`,
      method: 'POST',
      path: `${root}/*name`,
      summary: 'Write a policy',
      access: 'create or update',
      body: PolicyBody,
      ...mayWarn,
      run: policyOperations.write,
      with: ({ params, body }) => [params['name'] ?? '', body.policy || body.rules || ''],
      show: ({ name }, { context, params }) =>
        answerDone(
          context,
          name === params['name'] ? [] : [`policy name was converted to lower case: "${name}"`],
        ),
    }),
    operationRoute({
      id: `sys.delete-${id}`,
      method: 'DELETE',
      path: `${root}/*name`,
      summary: 'Delete a policy',
      access: 'delete',
      run: policyOperations.delete,
      with: ({ params }) => [params['name'] ?? ''],
    }),
  ]
}

/** The routes of policies. */
export const policyRoutes = [...policiesAt('/policies/acl', 'policies'), ...policiesAt('/policy', 'policy')]
