import { type Refused, refuse } from '../../../kernel/index.ts'
import { transact } from '../../../store/index.ts'
import { deletePolicy } from '../../acl/delete-policy.ts'
import { type AclPolicy, type AclPolicyInput, AclPolicyStub } from '../../acl/model.ts'
import { upsertPolicy } from '../../acl/upsert-policy.ts'
import { policyRecords } from '../../records/collections.ts'
import { indexed } from '../../records/tables.ts'
import type { Found, ListCall, ReadCall, WriteCall, Written } from '../call.ts'
import { type Cluster, indexOf } from '../cluster.ts'
import { enter } from '../enter.ts'
import { writtenPolicy } from '../parsed-arguments.ts'
import { filtersFor } from '../read/filter.ts'
import { answerList, beginning, type ListRefusal } from '../read/list.ts'
import { answerRead } from '../read/read.ts'
import { asTheyAre } from '../read/stubs.ts'
import { permissionDenied } from './authenticate.ts'
import { aclDisabled, removeAcl } from './remove.ts'

const filters = filtersFor(AclPolicyStub)

export function policyMethods(cluster: Cluster) {
  const { acl } = cluster
  return {
    /** Lists policies by name: all of them to management, a client's own to it. */
    listPolicies: (
      call: ListCall = {},
    ): Promise<Found<readonly AclPolicyStub[]> | Refused<ListRefusal | 'acl_disabled'>> =>
      enter(cluster, call, ({ now, access, policies }) => {
        if (!acl.enabled) return aclDisabled()
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

    /** Reads one policy; asks for management, or a token that holds it. */
    readPolicy: (
      name: string,
      call: ReadCall = {},
    ): Promise<Found<AclPolicy> | Refused<'permission_denied' | 'acl_disabled' | 'policy_not_found'>> =>
      enter(cluster, call, ({ now, access, policies }) => {
        if (!acl.enabled) return aclDisabled()
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

    /**
     * Creates or replaces a policy; asks for management.
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
    upsertPolicy: (
      given: AclPolicyInput,
      call: WriteCall = {},
    ): Promise<Written<string> | Refused<'permission_denied' | 'acl_disabled' | 'invalid_acl_policy'>> =>
      enter(cluster, call, async ({ access }) => {
        if (!acl.enabled) return aclDisabled()
        if (!access.management) return permissionDenied()
        const env = cluster.env()
        const checked = upsertPolicy(undefined, writtenPolicy.take(given), env)
        if (!checked.ok || checked.state === undefined) return checked.ok ? permissionDenied() : checked
        const { state } = checked
        await cluster.born()
        const { rev } = await transact(
          cluster.view,
          () => env.newId('commit'),
          (tx) => tx.put(policyRecords, { ...state }),
        )
        cluster.emit(checked.events)
        return { ok: true, value: checked.value, index: rev }
      }),

    /**
     * Deletes a policy; asks for management.
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
    deletePolicy: (
      name: string,
      call: WriteCall = {},
    ): Promise<Written<string> | Refused<'permission_denied' | 'acl_disabled' | 'policy_not_found'>> =>
      removeAcl(cluster, call, policyRecords, name, deletePolicy),
  }
}
