import { checkArguments } from '../../kernel/check-arguments.ts'
import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { type GrantedTtl, grantTtl } from './grant-ttl.ts'
import type { Token, TokenEvent, TokenRole } from './model.ts'
import type { TokenSettings } from './token-settings.ts'

/**
 * The inputs of a renewal: the mount's limits, and the current settings of the token's creator.
 */
export interface RenewPolicy {
  /** 32 days by default. */
  readonly defaultTtlSeconds?: number | undefined
  /** 32 days by default. */
  readonly maxTtlSeconds?: number | undefined
  /** The token's role as it is now; `'gone'` when it had one that was deleted. */
  readonly role?: TokenRole | 'gone' | undefined
  /** The auth method's settings as they are now, for tokens of a login. */
  readonly settings?: TokenSettings | undefined
}

/** Why a token was not renewed. */
export type RenewRefusal = 'not_renewable' | 'past_max_ttl' | 'token_role_gone'

/**
 * Renews a live token. The new TTL is counted from now and may be shorter than the rest of the old one.
 *
 * @param input - `incrementSeconds`: the requested increment; 0, the default, for the last one (or, for tokens of a
 * login, the current grant of the method). A periodic token always gets its period.
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { createToken, renewToken, rootToken } from 'plinth/tokens'
 *
 * const env = { now: 0, newId: () => 'i1' }
 * const bounds = { defaultTtlSeconds: 3600, maxTtlSeconds: 7200 }
 * const root = rootToken({ digest: 'd0', accessor: 'a0' }, env)
 * const token = unwrapStep(createToken(root, { digest: 'd1', accessor: 'a1', policies: ['web'] }, env, bounds)).state
 * const later = { ...env, now: 5_400_000 }
 * unwrap(renewToken(token, { incrementSeconds: 3600 }, later, bounds)).ttlSeconds // 1800
 * ```
 */
export function renewToken(
  token: Token,
  input: { readonly incrementSeconds?: number | undefined },
  env: Env,
  policy: RenewPolicy = {},
): Outcome<Token, GrantedTtl, TokenEvent, RenewRefusal> {
  checkArguments('token', token)
  checkInput(input, {}, { incrementSeconds: 0 }, env)
  if (token.type === 'batch') return refuse('not_renewable', 'batch tokens cannot be renewed')
  if (!token.renewable || token.expiresAt === null) return refuse('not_renewable', 'lease is not renewable')
  if (policy.role === 'gone') {
    return refuse('token_role_gone', `original token role "${token.role}" could not be found, not renewing`)
  }
  const { settings, role } = policy
  const granted = grantTtl(
    {
      incrementSeconds: input.incrementSeconds,
      backendTtlSeconds: settings ? settings.ttlSeconds : token.ttlSeconds,
      backendMaxTtlSeconds: settings?.maxTtlSeconds,
      periodSeconds: periodNow(token, settings, role),
      explicitMaxTtlSeconds: token.lifeTtlSeconds,
      defaultTtlSeconds: policy.defaultTtlSeconds,
      maxTtlSeconds: policy.maxTtlSeconds,
      startedAt: token.createdAt,
    },
    env.now,
  )
  if (!granted.ok) return granted
  const { ttlSeconds } = granted.value
  return {
    ok: true,
    // A flat record: a copy is enough, and tokens are renewed often.
    state: { ...token, ttlSeconds, expiresAt: env.now + ttlSeconds * 1000, lastRenewedAt: env.now },
    value: granted.value,
    events: [{ type: 'token.renewed', accessor: token.accessor, ttlSeconds }],
  }
}

/** Periods are read from their source: the current one of a role or method counts, not the one at creation. */
function periodNow(token: Token, settings: TokenSettings | undefined, role: TokenRole | undefined): number {
  if (settings) return settings.periodSeconds
  return role?.periodSeconds || token.periodSeconds
}
