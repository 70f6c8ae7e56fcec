import * as z from 'zod'
import { argument, like } from '../../../operation/arguments.ts'
import { operation } from '../../../operation/operation.ts'
import {
  type AclRequest,
  explainDecision,
  needsSudo,
  normalisePolicies,
  type PolicyRecord,
  type PolicyRefusal,
  parsePolicy,
  policyDeletionProblem,
  type Operation as Right,
} from '../../acl/index.ts'
import { wrappingPolicyName } from '../../acl/policy-names.ts'
import { policyText, writePolicyRead } from '../../acl/write-policy.ts'
import { found } from '../core/answer.ts'
import { isTexts, named, text } from '../core/arguments.ts'
import { operationNames, type Within } from '../core/context.ts'
import { done, tells } from '../core/decision.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { goneWith } from '../core/namespaces.ts'
import { aclOf, keepParsed, parseLong } from './compiled.ts'
import { policyRecords } from './records.ts'

const name = named('name')
const rights = [...operationNames, 'help'] as const satisfies readonly Right[]

const nameOf = (name: string) => name.trim().toLowerCase()

/** The names of the policies that a token can have, sorted, `root` last. */
export async function policyNames({ core, namespace }: Within): Promise<readonly string[]> {
  const names = policyRecords.list(await core.fresh(), namespace.id).map(({ value }) => value.policy.name)
  const internal: readonly string[] = ['root', wrappingPolicyName]
  return [...names.filter((name) => !internal.includes(name)), 'root']
}

/** The operations on the policies of a namespace. */
export const policyOperations = {
  /**
   * The names, sorted, `root` last.
   *
   * @example await secrets.policies.list()
   */
  list: operation({
    takes: [],
    refuses: [],
    run: async (at: Within) => found(await policyNames(at)),
  }),
  /**
   * Reads the text of a policy; `undefined` if it does not exist.
   *
   * @example await secrets.policies.read('reader')
   */
  read: operation({
    takes: [name],
    refuses: [],
    run: async ({ core, namespace }: Within, name: string) => {
      const now = await core.fresh()
      const lower = nameOf(name)
      // The root policy has no text.
      if (lower === 'root') return found<PolicyRecord>({ name: 'root', text: '', updatedAt: 0 })
      return found<PolicyRecord | undefined>(policyRecords.get(now, namespace.id, lower)?.value.policy)
    },
  }),
  /**
   * Writes a policy: HCL or JSON.
   *
   * @example await secrets.policies.write('reader', 'path "secret/data/*" { capabilities = ["read"] }')
   */
  write: operation({
    takes: [name, text('text')],
    refuses: ['policy_missing', 'policy_fixed', 'invalid_policy'],
    run: async ({ core, namespace }: Within, name: string, given: string) => {
      const lower = nameOf(name)
      const read = await parseLong(lower, policyText(given))
      return core.commit<PolicyRecord, PolicyRefusal>((tx, env) => {
        const gone = goneWith(tx, namespace, 'invalid_policy')
        if (gone) return gone
        const before = tx.get(policyRecords, namespace.id, lower)?.value.policy
        const input = { name, text: given }
        const outcome = writePolicyRead(before, input, env, read ? () => read : parsePolicy)
        if (outcome.ok && outcome.state !== before) {
          if (read?.ok) keepParsed(outcome.state, read.value)
          tx.put(policyRecords, { namespace: namespace.id, policy: outcome.state })
        }
        return core.happened(outcome, { namespace: namespace.path })
      })
    },
  }),
  /**
   * Deletes a policy; false if it did not exist.
   *
   * @example await secrets.policies.delete('reader')
   */
  delete: operation({
    takes: [name],
    refuses: ['policy_missing', 'policy_fixed', 'invalid_policy'],
    run: async ({ core, namespace }: Within, name: string) => {
      const lower = nameOf(name)
      const refused = policyDeletionProblem(lower)
      if (refused) return refused
      return core.commit<boolean, PolicyRefusal>((tx) =>
        tx.delete(policyRecords, namespace.id, lower)
          ? tells(true, { namespace: namespace.path, type: 'policy.deleted', name: lower })
          : done(false),
      )
    },
  }),
  /**
   * Explains whether a token with these policies may access a path, with the deciding rule and the reason. Knows the
   * paths that need `sudo`.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * await service.policies.write('dev', 'path "secret/data/app/*" { capabilities = ["read"] }')
   * const explained = await service.policies.explain(['dev'], { path: 'secret/data/app/db', operation: 'update' })
   * explained.ok && explained.value.text // 'refused: "secret/data/app/*" (policy dev, line 1) allows read, not update'
   * await service.close()
   * ```
   */
  explain: operation({
    takes: [
      argument<readonly string[]>('policies', isTexts),
      argument<AclRequest>('request', like(z.object({ path: z.string(), operation: z.enum(rights) }))),
    ],
    refuses: [],
    run: async ({ core, namespace }: Within, policies: readonly string[], request: AclRequest) => {
      const acl = await aclOf(core, await core.fresh(), namespace, normalisePolicies(policies))
      const { path, operation } = request
      return found(explainDecision(acl, { needsSudo: needsSudo(path, operation), ...request }))
    },
  }),
}

/** The policies of a service, for programs that embed it. */
export interface PoliciesHandle extends SecretsMethods<typeof policyOperations> {}
