import { checkArguments } from '../../kernel/check-arguments.ts'
import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { badCidr, cidrOutside } from '../../networks/networks.ts'
import { smallest } from '../tokens/grant-ttl.ts'
import type { ApproleEvent, ApproleRole, ApproleSecretId } from './model.ts'

/** The options of a new secret ID. */
export interface ApproleSecretIdInput {
  /** The keyed digest of the text, which the caller generated or received. */
  readonly digest: string
  readonly accessor: string
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly cidrList?: readonly string[] | undefined
  readonly tokenBoundCidrs?: readonly string[] | undefined
  /** The number of logins; by default, and at most, that of the role. */
  readonly numUses?: number | undefined
  /** The TTL; by default, and at most, that of the role. */
  readonly ttlSeconds?: number | undefined
}

/** The limits of a new secret ID. */
export interface ApproleSecretIdPolicy {
  readonly role: ApproleRole
  /** The longest lease time of the mount; 0, the default, for none. */
  readonly maxTtlSeconds?: number | undefined
}

/** Why no secret ID was created. */
export type ApproleSecretIdRefusal = 'approle_secret_id_unused' | 'approle_secret_id_invalid'

/**
 * Generates a secret ID of a role.
 *
 * @returns the secret ID, or a refusal: it cannot have more rights or a longer TTL than its role
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { makeApproleSecretId, writeApproleRole } from 'plinth/approle'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const ci = { name: 'ci', drawnRoleId: 'r', secretIdTtlSeconds: 600, secretIdNumUses: 1 }
 * const role = unwrapStep(writeApproleRole(undefined, ci, env)).state
 * const made = unwrapStep(makeApproleSecretId(undefined, { digest: 'd', accessor: 'x' }, env, { role })).state
 * made.expiresAt // 600_000
 * const longer = makeApproleSecretId(undefined, { digest: 'd', accessor: 'x', ttlSeconds: 601 }, env, { role })
 * longer.ok // false
 * ```
 */
export function makeApproleSecretId(
  _none: undefined,
  input: ApproleSecretIdInput,
  env: Env,
  policy: ApproleSecretIdPolicy,
): Outcome<ApproleSecretId, undefined, ApproleEvent, ApproleSecretIdRefusal> {
  checkArguments('input env policy', input, env, policy)
  checkInput(
    input,
    { digest: '', accessor: '' },
    { metadata: {}, cidrList: {}, tokenBoundCidrs: {}, numUses: 0, ttlSeconds: 0 },
    env,
  )
  const { role, maxTtlSeconds = 0 } = policy
  if (!role.bindSecretId) return refuse('approle_secret_id_unused', 'bind_secret_id is not set on the role')
  const wrong = inputProblem(input, role)
  if (wrong !== undefined) return refuse('approle_secret_id_invalid', wrong)
  const ttlSeconds = smallest(input.ttlSeconds ?? role.secretIdTtlSeconds, 0)
  const livesSeconds = ttlSeconds === 0 ? 0 : smallest(ttlSeconds, maxTtlSeconds)
  return {
    ok: true,
    state: {
      digest: input.digest,
      accessor: input.accessor,
      metadata: { ...input.metadata },
      cidrList: [...(input.cidrList ?? [])],
      tokenBoundCidrs: [...(input.tokenBoundCidrs ?? [])],
      numUses: input.numUses ?? role.secretIdNumUses,
      ttlSeconds: livesSeconds,
      createdAt: env.now,
      updatedAt: env.now,
      expiresAt: livesSeconds === 0 ? null : env.now + livesSeconds * 1000,
    },
    value: undefined,
    events: [{ type: 'approle.secret_id_made', role: role.name, accessor: input.accessor }],
  }
}

function inputProblem(input: ApproleSecretIdInput, role: ApproleRole): string | undefined {
  const { cidrList = [], tokenBoundCidrs = [], numUses, ttlSeconds } = input
  for (const [field, cidrs] of [
    ['cidr_list', cidrList],
    ['token_bound_cidrs', tokenBoundCidrs],
  ] as const) {
    const bad = badCidr(cidrs)
    if (bad !== undefined) return `${field}: ${JSON.stringify(bad)} is not a network`
  }
  const outside =
    cidrOutside(cidrList, role.secretIdBoundCidrs) ?? cidrOutside(tokenBoundCidrs, role.tokens.boundCidrs)
  if (outside !== undefined) return `${JSON.stringify(outside)} is not a subset of the networks of the role`
  if (numUses !== undefined && numUses < 0) return 'num_uses cannot be negative'
  if (role.secretIdNumUses > 0 && numUses !== undefined && (numUses === 0 || numUses > role.secretIdNumUses))
    return "num_uses cannot be higher than the role's secret_id_num_uses"
  if (ttlSeconds !== undefined && ttlSeconds < 0) return 'ttl cannot be negative'
  if (
    role.secretIdTtlSeconds > 0 &&
    ttlSeconds !== undefined &&
    (ttlSeconds === 0 || ttlSeconds > role.secretIdTtlSeconds)
  )
    return "ttl cannot be longer than the role's secret_id_ttl"
  return undefined
}
