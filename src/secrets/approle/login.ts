import { checkInput } from '../../kernel/check-input.ts'
import { nextStatus, type Refused, refuse, type Step } from '../../kernel/index.ts'
import { addressWithin } from '../../networks/networks.ts'
import type { TokenSettings } from '../tokens/token-settings.ts'
import type { ApproleRole, ApproleSecretId } from './model.ts'
import { type SecretIdStatus, secretIdLifecycle } from './secret-id-lifecycle.ts'

/** Why a login was refused. */
export type ApproleLoginRefusal = 'approle_refused' | 'approle_address_refused' | 'permission_denied'

/** The result of a login. */
export interface ApproleLogin {
  readonly role: ApproleRole
  /** The settings of the token: those of the role, with the networks of the secret ID if it has any. */
  readonly settings: TokenSettings
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * A secret ID at an instant: time alone expires one.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { makeApproleSecretId, secretIdStatus, writeApproleRole } from 'plinth/approle'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const role = unwrapStep(writeApproleRole(undefined, { name: 'ci', drawnRoleId: 'r' }, env)).state
 * const input = { digest: 'd', accessor: 'x', ttlSeconds: 60 }
 * const secretId = unwrapStep(makeApproleSecretId(undefined, input, env, { role })).state
 * secretIdStatus(secretId, 59_999) // 'active'
 * secretIdStatus(secretId, 60_000) // 'expired'
 * ```
 */
export const secretIdStatus = (secretId: ApproleSecretId, now: number): SecretIdStatus =>
  secretId.expiresAt !== null && secretId.expiresAt <= now ? 'expired' : 'active'

/**
 * Decides a login, and counts the use of its secret ID. A wrong role and a wrong secret ID get one refusal with one
 * text.
 *
 * @param secretId - the secret ID of that text, if the role has one
 * @param input - the role of that role ID, if it exists, and the client's address if it is known
 * @returns the updated secret ID; `undefined` if it is used up
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { loginWithApprole, makeApproleSecretId, writeApproleRole } from 'plinth/approle'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const ci = { name: 'ci', drawnRoleId: 'r', secretIdNumUses: 1 }
 * const role = unwrapStep(writeApproleRole(undefined, ci, env)).state
 * const once = unwrapStep(makeApproleSecretId(undefined, { digest: 'd', accessor: 'x' }, env, { role })).state
 * unwrapStep(loginWithApprole(once, { role }, env)).state // undefined
 * const unknown = loginWithApprole(undefined, { role }, env)
 * unknown.ok || unknown.refusal.message // 'invalid role or secret ID'
 * ```
 */
export function loginWithApprole(
  secretId: ApproleSecretId | undefined,
  input: { readonly role: ApproleRole | undefined; readonly address?: string | undefined },
  env: { readonly now: number },
): Step<ApproleSecretId | undefined, ApproleLogin> | Refused<ApproleLoginRefusal> {
  checkInput(input, { role: undefined }, { address: '' }, env)
  const { role, address } = input
  if (role === undefined) return approleRefused()
  const used = role.bindSecretId ? secretId : undefined
  if (role.bindSecretId && (used === undefined || !mayBeUsed(used, env.now))) return approleRefused()
  if (!addressWithin(role.secretIdBoundCidrs, address) || !addressWithin(used?.cidrList ?? [], address))
    return refuse(
      'approle_address_refused',
      'source address unauthorized through CIDR restrictions on the secret ID',
    )
  const boundCidrs = used && used.tokenBoundCidrs.length > 0 ? used.tokenBoundCidrs : role.tokens.boundCidrs
  if (!addressWithin(boundCidrs, address)) return refuse('permission_denied', 'permission denied')
  return {
    ok: true,
    state: used && afterUse(used, env.now),
    value: { role, settings: { ...role.tokens, boundCidrs }, metadata: used?.metadata ?? {} },
    events: [],
  }
}

const mayBeUsed = (secretId: ApproleSecretId, now: number): boolean =>
  nextStatus(secretIdLifecycle, secretIdStatus(secretId, now), 'use') !== undefined

const afterUse = (secretId: ApproleSecretId, now: number): ApproleSecretId | undefined => {
  if (secretId.numUses === 0) return secretId
  return secretId.numUses === 1 ? undefined : { ...secretId, numUses: secretId.numUses - 1, updatedAt: now }
}

/** The one refusal for every problem with a role ID or a secret ID. */
export const approleRefused = (): Refused<'approle_refused'> =>
  refuse('approle_refused', 'invalid role or secret ID')
