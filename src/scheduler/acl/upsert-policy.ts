import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { AclPolicyRecord } from './model.ts'
import { policyName } from './policy.ts'
import { readRules } from './policy-text.ts'

/**
 * A policy was written.
 */
export interface PolicyUpserted {
  readonly type: 'acl.policy-upserted'
  readonly policy: string
}

/**
 * Creates a policy or replaces it completely. Its rules are parsed before it is stored.
 *
 * @returns the policy's name, or `invalid_acl_policy` with the problem and, in the rules, its position
 *
 * @example
 * ```ts
 * import { upsertPolicy } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const dev = { Name: 'dev', Description: '', Rules: 'namespace "default" { policy = "write" }' }
 * upsertPolicy(undefined, dev, env).ok // true
 * const wrong = upsertPolicy(undefined, { ...dev, Rules: 'namespace {' }, env)
 * wrong.ok ? '' : wrong.refusal.code // 'invalid_acl_policy'
 * ```
 */
export function upsertPolicy(
  _policy: AclPolicyRecord | undefined,
  input: AclPolicyRecord,
  _env?: Env,
): Outcome<AclPolicyRecord | undefined, string, PolicyUpserted, 'invalid_acl_policy'> {
  checkArguments('input', input)
  const { Name, Description, Rules } = input
  if (!policyName.test(Name))
    return refuse('invalid_acl_policy', `invalid name "${Name}": use 1 to 128 letters, digits and hyphens`)
  if (Description.length > 256) return refuse('invalid_acl_policy', 'description longer than 256 characters')
  const rules = readRules(Rules)
  if (!rules.ok) return refuse('invalid_acl_policy', rules.refusal.message)
  const event: PolicyUpserted = { type: 'acl.policy-upserted', policy: Name }
  return { ok: true, state: { Name, Description, Rules }, value: Name, events: [event] }
}
