import { refuse } from '../../../kernel/index.ts'
import { operation } from '../../../operation/operation.ts'
import { deletePolicy } from '../../acl/delete-policy.ts'
import { type AclPolicyRecord, AclPolicyStub } from '../../acl/model.ts'
import { upsertPolicy } from '../../acl/upsert-policy.ts'
import { policyRecords } from '../../records/collections.ts'
import { indexed } from '../../records/tables.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { ListCall, ReadCall, WriteCall } from '../../service/call.ts'
import { type Cluster, indexOf } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { filtersFor } from '../../service/read/filter.ts'
import { answerList, beginning, listRefusals } from '../../service/read/list.ts'
import { answerRead } from '../../service/read/read.ts'
import { asTheyAre } from '../../service/read/stubs.ts'
import { call, name, policy } from '../arguments.ts'
import { aclDisabled, removeAcl } from './remove.ts'

const filters = filtersFor(AclPolicyStub)
/** The operations on policies. */
export const policyOperations = {
  /**
   * Lists policies by name: all of them for management tokens, its own for a client token.
   *
   * @example await scheduler.listPolicies({ token })
   */
  listPolicies: operation({
    takes: [call],
    refuses: [...listRefusals, 'acl_disabled'],
    run: (cluster: Cluster, call: ListCall = {}) =>
      enter(cluster, call, ({ now, access, policies }) => {
        if (!cluster.acl.enabled) return aclDisabled()
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        const { prefix = '' } = call
        const own = new Set(policies)
        return answerList<AclPolicyStub, AclPolicyStub>(cluster, call, now, {
          question: ['acl-policies', access.id],
          marks: [policyRecords.markOf()],
          within: beginning([], prefix),
          rows: (at, { reverse }) => {
            const rows = policyRecords
              .list(at)
              .filter(({ value }) => value.Name.startsWith(prefix))
              .map(({ value: { Name, Description }, created, modified }) => ({
                Name,
                Description,
                CreateIndex: created,
                ModifyIndex: modified,
              }))
            return [reverse ? rows.reverse() : rows]
          },
          shape: ['text'],
          keyOf: ({ Name }) => [Name],
          visible: access.management ? undefined : ({ Name }) => own.has(Name),
          filter: filter.value,
          show: asTheyAre,
        })
      }),
  }),

  /**
   * Reads one policy; requires management, or a token that holds it.
   *
   * @example await scheduler.readPolicy('dev', { token })
   */
  readPolicy: operation({
    takes: [name, call],
    refuses: ['permission_denied', 'acl_disabled', 'policy_not_found'],
    run: (cluster: Cluster, name: string, call: ReadCall = {}) =>
      enter(cluster, call, ({ now, access, policies }) => {
        if (!cluster.acl.enabled) return aclDisabled()
        if (!access.management && !policies.includes(name)) return permissionDenied()
        const key = policyRecords.keyOf(name)
        const mark = policyRecords.markOf()
        return answerRead(cluster, call, now, ['acl-policy', name], (at) => {
          const value = indexed(policyRecords, at, name)
          if (value !== undefined) return { value, index: value.ModifyIndex, keys: [key] }
          const index = indexOf(at, [mark])
          return { ...refuse('policy_not_found', 'ACL policy not found', { index }), index, keys: [mark] }
        })
      }),
  }),

  /**
   * Creates or replaces a policy; requires management.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore(), managementToken: 'keep-me' })
   * const call = { token: 'keep-me' }
   * const Rules = 'namespace "default" { policy = "read" }'
   * await scheduler.upsertPolicy({ Name: 'readers', Rules }, call)
   * const policies = await scheduler.listPolicies(call)
   * policies.ok && policies.value.map(({ Name }) => Name) // ['readers']
   * ```
   */
  upsertPolicy: operation({
    takes: [policy, call],
    refuses: ['permission_denied', 'acl_disabled', 'invalid_acl_policy'],
    run: (cluster: Cluster, policy: AclPolicyRecord, call: WriteCall = {}) =>
      enter(cluster, call, async ({ access }) => {
        if (!cluster.acl.enabled) return aclDisabled()
        if (!access.management) return permissionDenied()
        const { answer, rev } = await cluster.commitAt((tx, env) => {
          const outcome = upsertPolicy(undefined, policy, env)
          if (outcome.ok && outcome.state) tx.put(policyRecords, { ...outcome.state })
          return outcome
        })
        return answer.ok ? { ...answer, index: rev } : answer
      }),
  }),

  /**
   * Deletes a policy; requires management.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore(), managementToken: 'keep-me' })
   * const gone = await scheduler.deletePolicy('readers', { token: 'keep-me' })
   * gone.ok || gone.refusal.message // 'ACL policy not found'
   * ```
   */
  deletePolicy: operation({
    takes: [name, call],
    refuses: ['permission_denied', 'acl_disabled', 'policy_not_found'],
    run: (cluster: Cluster, name: string, call: WriteCall = {}) =>
      removeAcl(cluster, call, policyRecords, name, deletePolicy),
  }),
}
