import { refuse } from '../../../kernel/index.ts'
import { argument, aText, optionalArgument } from '../../../operation/arguments.ts'
import { operation } from '../../../operation/operation.ts'
import type { Snapshot } from '../../../store/index.ts'
import { deleteRole } from '../../acl/delete-role.ts'
import { AclRole, type AclRoleWrite } from '../../acl/model.ts'
import { writeRole } from '../../acl/write-role.ts'
import { policyRecords, roleRecords, tokenRecords } from '../../records/collections.ts'
import { indexed, withIndexes } from '../../records/tables.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { ListCall, ReadCall, WriteCall } from '../../service/call.ts'
import { type Cluster, indexOf } from '../../service/cluster.ts'
import { type Entered, enter } from '../../service/enter.ts'
import { filtersFor } from '../../service/read/filter.ts'
import { answerList, beginning, listRefusals } from '../../service/read/list.ts'
import { answerRead } from '../../service/read/read.ts'
import { asTheyAre } from '../../service/read/stubs.ts'
import { call, id, name, roleWrite } from '../arguments.ts'
import { aclDisabled, removeAcl } from './remove.ts'

const filters = filtersFor(AclRole)
const chosen = optionalArgument(argument<string>('id', aText))

/** The roles of the caller's own token. */
const ownRoles = ({ accessor }: Pick<Entered, 'accessor'>, now: Snapshot): ReadonlySet<string> =>
  new Set(
    (accessor === undefined ? [] : (tokenRecords.get(now, accessor)?.value.Roles ?? [])).map(({ ID }) => ID),
  )

/** Reads one role, found by its ID or by its name. */
const read = (
  cluster: Cluster,
  call: ReadCall,
  question: readonly string[],
  find: (now: Snapshot) => string | undefined,
) =>
  enter(cluster, call, (entered) => {
    const { now, access } = entered
    if (!cluster.acl.enabled) return aclDisabled()
    const found = find(now)
    if (!access.management && !(found !== undefined && ownRoles(entered, now).has(found)))
      return permissionDenied()
    const mark = roleRecords.markOf()
    return answerRead(cluster, call, now, ['acl-role', ...question], (at) => {
      const id = find(at)
      const value = id === undefined ? undefined : indexed(roleRecords, at, id)
      if (value !== undefined) return { value, index: value.ModifyIndex, keys: [roleRecords.keyOf(value.ID)] }
      const index = indexOf(at, [mark])
      return { ...refuse('role_not_found', 'ACL role not found', { index }), index, keys: [mark] }
    })
  })

/** The operations on roles. */
export const roleOperations = {
  /**
   * Lists roles by ID: all of them for management tokens, its own for a client token.
   *
   * @example await scheduler.listRoles({ token })
   */
  listRoles: operation({
    takes: [call],
    refuses: [...listRefusals, 'acl_disabled'],
    run: (cluster: Cluster, call: ListCall = {}) =>
      enter(cluster, call, (entered) => {
        const { now, access } = entered
        if (!cluster.acl.enabled) return aclDisabled()
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        const { prefix = '' } = call
        const own = access.management ? undefined : ownRoles(entered, now)
        return answerList<AclRole, AclRole>(cluster, call, now, {
          question: ['acl-roles', access.id, ...(own ?? [])],
          marks: [roleRecords.markOf()],
          within: beginning([], prefix),
          rows: (at, { reverse }) => {
            const rows = roleRecords
              .list(at)
              .filter(({ value }) => value.ID.startsWith(prefix))
              .map(({ value, created, modified }) => withIndexes(value, created, modified))
            return [reverse ? rows.reverse() : rows]
          },
          shape: ['text'],
          keyOf: ({ ID }) => [ID],
          visible: own && (({ ID }) => own.has(ID)),
          filter: filter.value,
          show: asTheyAre,
        })
      }),
  }),

  /**
   * Reads a role by its ID; requires management, or a token that has it.
   *
   * @example await scheduler.readRole(roleID, { token })
   */
  readRole: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'acl_disabled', 'role_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) => read(cluster, call, ['id', id], () => id),
  }),

  /**
   * Reads a role by its name; requires management, or a token that has it.
   *
   * @example await scheduler.readRoleByName('developers', { token })
   */
  readRoleByName: operation({
    takes: [name, call],
    refuses: ['permission_denied', 'acl_disabled', 'role_not_found'],
    run: (cluster: Cluster, name: string, call: ReadCall = {}) =>
      read(cluster, call, ['name', name], (now) => roleRecords.find(now, 'name', name)?.value.ID),
  }),

  /**
   * Creates a role of existing policies, or changes the one with the given ID; requires management.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore(), managementToken: 'keep-me' })
   * const call = { token: 'keep-me' }
   * await scheduler.upsertPolicy({ Name: 'readers', Rules: 'namespace "default" { policy = "read" }' }, call)
   * const role = await scheduler.writeRole(undefined, { Name: 'team', Policies: [{ Name: 'readers' }] }, call)
   * const Roles = [{ Name: 'team' }]
   * const token = role.ok && (await scheduler.writeToken(undefined, { Type: 'client', Roles }, call))
   * token && token.ok // true
   * ```
   */
  writeRole: operation({
    takes: [chosen, roleWrite, call],
    refuses: ['permission_denied', 'acl_disabled', 'role_not_found', 'invalid_acl_role'],
    run: (cluster: Cluster, id: string | undefined, write: AclRoleWrite, call: WriteCall = {}) =>
      enter(cluster, call, async ({ access }) => {
        if (!cluster.acl.enabled) return aclDisabled()
        if (!access.management) return permissionDenied()
        const { answer, rev } = await cluster.commitAt((tx, env) => {
          const before = id === undefined ? undefined : tx.get(roleRecords, id)
          if (id !== undefined && before === undefined) return refuse('role_not_found', 'ACL role not found')
          const outcome = writeRole(before?.value, { write, id: id ?? env.newId('role') }, env)
          if (!outcome.ok) return outcome
          const other = tx.find(roleRecords, 'name', outcome.value.Name)?.value.ID
          if (other !== undefined && other !== outcome.value.ID)
            return refuse('invalid_acl_role', `role with name ${outcome.value.Name} already exists`)
          const missing = outcome.value.Policies.find(({ Name }) => tx.get(policyRecords, Name) === undefined)
          if (missing !== undefined) return refuse('invalid_acl_role', `cannot find policy ${missing.Name}`)
          tx.put(roleRecords, outcome.value)
          return { ...outcome, value: { role: outcome.value, created: before?.created } }
        })
        if (!answer.ok) return answer
        const { role, created = rev } = answer.value
        const value: AclRole = { ...role, CreateIndex: created, ModifyIndex: rev }
        return { ok: true as const, value, index: rev }
      }),
  }),

  /**
   * Deletes a role: tokens that have it lose the rights of its policies. Requires management.
   *
   * @example await scheduler.deleteRole(roleID, { token })
   */
  deleteRole: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'acl_disabled', 'role_not_found'],
    run: (cluster: Cluster, id: string, call: WriteCall = {}) =>
      removeAcl(cluster, call, roleRecords, id, deleteRole),
  }),
}
