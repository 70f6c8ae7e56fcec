import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { AclPolicyRecord } from './model.ts'

/**
 * A policy was removed.
 */
export interface PolicyRemoved {
  readonly type: 'acl.policy-deleted'
  readonly policy: string
}

/**
 * Deletes a policy. Tokens that name it lose the rights it granted.
 *
 * @returns the policy's name, or `policy_not_found`
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { AclPolicyRecord, deletePolicy } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const dev = AclPolicyRecord.parse({ Name: 'dev' })
 * const deleted = deletePolicy(dev, {}, env)
 * unwrap(deleted) // 'dev'
 * ```
 */
export function deletePolicy(
  policy: AclPolicyRecord | undefined,
  _input: Readonly<Record<never, never>>,
  _env?: Env,
): Outcome<AclPolicyRecord | undefined, string, PolicyRemoved, 'policy_not_found'> {
  if (policy === undefined) return refuse('policy_not_found', 'ACL policy not found')
  const event: PolicyRemoved = { type: 'acl.policy-deleted', policy: policy.Name }
  return { ok: true, state: undefined, value: policy.Name, events: [event] }
}
