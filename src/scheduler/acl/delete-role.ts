import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { AclRoleRecord } from './model.ts'

/**
 * A role was removed.
 */
export interface RoleRemoved {
  readonly type: 'acl.role-deleted'
  readonly role: string
}

/**
 * Deletes a role. Tokens that have it lose the rights of its policies.
 *
 * @returns the role's ID, or `role_not_found`
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { AclRoleRecord, deleteRole } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const role = AclRoleRecord.parse({ ID: 'r1', Name: 'ops' })
 * unwrap(deleteRole(role, {}, env)) // 'r1'
 * ```
 */
export function deleteRole(
  role: AclRoleRecord | undefined,
  _input: Readonly<Record<never, never>>,
  _env?: Env,
): Outcome<AclRoleRecord | undefined, string, RoleRemoved, 'role_not_found'> {
  if (role === undefined) return refuse('role_not_found', 'ACL role not found')
  return { ok: true, state: undefined, value: role.ID, events: [{ type: 'acl.role-deleted', role: role.ID }] }
}
