import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { nameProblem } from '../name-length.ts'
import { badCidr } from '../tokens/bound-cidrs.ts'
import { changedTokenSettings, type TokenSettingsInput } from '../tokens/token-settings.ts'
import type { ApproleEvent, ApproleRole } from './model.ts'

/** What a write gives; what it leaves out stays as it is. @public */
export interface ApproleRoleInput {
  readonly name: string
  /** The role ID of a new role, unless one is given: drawn by the caller. */
  readonly drawnRoleId: string
  /** A role ID of the caller's choice. */
  readonly roleId?: string | undefined
  readonly bindSecretId?: boolean | undefined
  readonly secretIdBoundCidrs?: readonly string[] | undefined
  readonly secretIdNumUses?: number | undefined
  readonly secretIdTtlSeconds?: number | undefined
  readonly localSecretIds?: boolean | undefined
  readonly tokens?: TokenSettingsInput | undefined
}

/** Why a role was not written. @public */
export type ApproleRoleRefusal = 'approle_role_invalid' | 'token_settings_invalid'

/**
 * Creates or changes a role. Fields that are left out keep their values.
 *
 * @returns the role, `approle_role_invalid` with the field that is wrong, or `token_settings_invalid`
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeApproleRole } from 'plinth/approle'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const ci = { name: 'ci', drawnRoleId: 'b7c0…', secretIdNumUses: 1, tokens: { policies: ['deploy'] } }
 * unwrapStep(writeApproleRole(undefined, ci, env)).state.roleId // 'b7c0…'
 * const open = writeApproleRole(undefined, { ...ci, bindSecretId: false }, env)
 * open.ok || open.refusal.message // 'at least one constraint should be enabled on the role'
 * ```
 *
 * @public
 */
export function writeApproleRole(
  role: ApproleRole | undefined,
  input: ApproleRoleInput,
  env: Env,
): Outcome<ApproleRole, undefined, ApproleEvent, ApproleRoleRefusal> {
  checkInput(input, { name: 'string', drawnRoleId: 'string', roleId: 'string or undefined' }, env)
  const tokens = changedTokenSettings(role?.tokens, input.tokens)
  if (!tokens.ok) return tokens
  const cidrs = input.secretIdBoundCidrs ?? role?.secretIdBoundCidrs ?? []
  const next: ApproleRole = {
    name: role?.name ?? approleName(input.name),
    incarnation: role?.incarnation ?? env.newId('approle'),
    roleId: input.roleId ?? role?.roleId ?? input.drawnRoleId,
    bindSecretId: input.bindSecretId ?? role?.bindSecretId ?? true,
    secretIdBoundCidrs: [...cidrs],
    secretIdNumUses: input.secretIdNumUses ?? role?.secretIdNumUses ?? 0,
    secretIdTtlSeconds: input.secretIdTtlSeconds ?? role?.secretIdTtlSeconds ?? 0,
    localSecretIds: input.localSecretIds ?? role?.localSecretIds ?? false,
    tokens: tokens.value,
  }
  const wrong = roleProblem(next, role)
  if (wrong !== undefined) return refuse('approle_role_invalid', wrong)
  const events = [{ type: 'approle.role_written', role: next.name } as const]
  return { ok: true, state: next, value: undefined, events }
}

/**
 * The name that a role is stored under: names count in lower case.
 *
 * @example
 * ```ts
 * import { approleName } from 'plinth/approle'
 *
 * approleName('CI') // 'ci'
 * ```
 *
 * @public
 */
export const approleName = (name: string): string => name.toLowerCase()

function roleProblem(role: ApproleRole, before: ApproleRole | undefined): string | undefined {
  const name = nameProblem('role name', role.name)
  if (name !== undefined) return name
  if (role.roleId === '') return 'missing role_id'
  const id = nameProblem('role_id', role.roleId)
  if (id !== undefined) return id
  if (role.secretIdNumUses < 0) return 'secret_id_num_uses cannot be negative'
  if (role.secretIdTtlSeconds < 0) return 'secret_id_ttl cannot be negative'
  const cidr = badCidr(role.secretIdBoundCidrs)
  if (cidr !== undefined) return `secret_id_bound_cidrs: ${JSON.stringify(cidr)} is not a network`
  if (before !== undefined && before.localSecretIds !== role.localSecretIds)
    return 'local_secret_ids can only be modified during role creation'
  if (!role.bindSecretId && role.secretIdBoundCidrs.length === 0 && role.tokens.boundCidrs.length === 0)
    return 'at least one constraint should be enabled on the role'
  return undefined
}
