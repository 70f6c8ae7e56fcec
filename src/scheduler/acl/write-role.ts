import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { AclRoleRecord, AclRoleWrite } from './model.ts'
import { policyName } from './policy.ts'

/**
 * A role was created or changed.
 */
export interface RoleWritten {
  readonly type: 'acl.role-written'
  readonly role: string
}

/**
 * Creates a role, or changes one: tokens with the role keep it under another name.
 *
 * @param role - the role to change; `undefined` for a new one
 * @param input - the fields, and the ID of a new role
 *
 * @returns the role, or `invalid_acl_role`
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { writeRole } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const write = { ID: '', Name: 'ops', Description: '', Policies: [{ Name: 'dev' }] }
 * unwrap(writeRole(undefined, { write, id: 'r1' }, env)).ID // 'r1'
 * const refused = writeRole(undefined, { write: { ...write, Policies: [] }, id: 'r1' }, env)
 * refused.ok || refused.refusal.message // 'at least one policy should be specified'
 * ```
 */
export function writeRole(
  role: AclRoleRecord | undefined,
  input: { readonly write: AclRoleWrite; readonly id: string },
  _env?: Env,
): Outcome<AclRoleRecord | undefined, AclRoleRecord, RoleWritten, 'invalid_acl_role'> {
  checkArguments('input', input)
  const { Name, Description, Policies } = input.write
  if (!policyName.test(Name))
    return refuse('invalid_acl_role', `invalid name "${Name}": use 1 to 128 letters, digits and hyphens`)
  if (Description.length > 256) return refuse('invalid_acl_role', 'description longer than 256 characters')
  const names = [...new Set(Policies.map((policy) => policy.Name))]
  if (names.length === 0) return refuse('invalid_acl_role', 'at least one policy should be specified')
  const ID = role?.ID ?? input.id
  const value: AclRoleRecord = { ID, Name, Description, Policies: names.map((name) => ({ Name: name })) }
  return { ok: true, state: value, value, events: [{ type: 'acl.role-written', role: ID }] }
}
