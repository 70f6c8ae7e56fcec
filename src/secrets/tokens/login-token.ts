import { type Env, type Refused, refuse, type Step } from '../../kernel/index.ts'
import { normalisePolicies, withDefaultPolicy } from '../acl/policy-names.ts'
import { internalPolicyProblem } from './choose-policies.ts'
import type { IssuedToken } from './create-token.ts'
import { grantTtl } from './grant-ttl.ts'
import type { Token, TokenEvent } from './model.ts'
import { displayNameOf } from './rules.ts'
import type { TokenSettings } from './token-settings.ts'

/**
 * Who logged in, and how.
 *
 * @public
 */
export interface LoginTokenInput {
  readonly digest: string
  readonly accessor: string
  /** `auth/idp/login/ada`. */
  readonly path: string
  readonly namespace: string
  readonly namespaceId: string
  readonly displayName: string
  readonly meta: Readonly<Record<string, string>>
  /** What user and groups are entitled to, beside the method's own policies. */
  readonly policies: readonly string[]
  /** The auth mount's id, the user, and the groups they were in: what a renewal compares with. */
  readonly login: {
    readonly mount: string
    readonly user: string
    readonly groups: readonly string[]
    /** How often the mount had been moved: its next move ends the token. */
    readonly moves?: number | undefined
  }
}

/** The bounds of the auth mount. @public */
export interface LoginTokenPolicy {
  readonly settings: TokenSettings
  readonly defaultTtlSeconds: number
  readonly maxTtlSeconds: number
  /** What the mount makes of an unset type. */
  readonly mountTokenType?: 'default-service' | 'default-batch' | 'service' | 'batch'
}

/**
 * Makes the token of somebody who logged in: an orphan, with the policies of the method, the user and the groups.
 *
 * @returns the token, `login_root` where the policies would make it root, `policy_internal` where one is the service's own,
 * or `past_max_ttl`
 *
 * @example
 * ```ts
 * import { loginToken, unsetTokenSettings } from 'plinth/tokens'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'i' }
 * const ada = {
 *   digest: 'd',
 *   accessor: 'a',
 *   path: 'auth/idp/login/ada',
 *   namespace: '',
 *   namespaceId: 'root',
 *   displayName: 'idp-ada',
 *   meta: { username: 'ada' },
 *   policies: ['developers'],
 *   login: { mount: 'm', user: 'ada', groups: ['dev'] },
 * }
 * const bounds = { settings: { ...unsetTokenSettings, ttlSeconds: 600 }, defaultTtlSeconds: 3600, maxTtlSeconds: 7200 }
 * const made = loginToken(ada, env, bounds)
 * made.ok && made.state.policies // ['default', 'developers']
 * made.ok && made.state.ttlSeconds // 600
 * const root = loginToken({ ...ada, policies: ['root'] }, env, bounds)
 * root.ok || root.refusal.code // 'login_root'
 * ```
 *
 * @public
 */
export function loginToken(
  input: LoginTokenInput,
  env: Env,
  { settings, defaultTtlSeconds, maxTtlSeconds, mountTokenType = 'default-service' }: LoginTokenPolicy,
): Step<Token, IssuedToken, TokenEvent> | Refused<'login_root' | 'policy_internal' | 'past_max_ttl'> {
  const named = [...settings.policies, ...input.policies]
  const policies = settings.noDefaultPolicy ? normalisePolicies(named) : withDefaultPolicy(named)
  if (policies.includes('root')) return refuse('login_root', 'auth methods cannot create root tokens')
  const internal = internalPolicyProblem(policies)
  if (internal) return internal
  const granted = grantTtl(
    {
      incrementSeconds: 0,
      backendTtlSeconds: settings.ttlSeconds,
      backendMaxTtlSeconds: settings.maxTtlSeconds,
      periodSeconds: settings.periodSeconds,
      explicitMaxTtlSeconds: settings.explicitMaxTtlSeconds,
      defaultTtlSeconds,
      maxTtlSeconds,
      startedAt: env.now,
    },
    env.now,
  )
  if (!granted.ok) return granted
  const { ttlSeconds, warnings } = granted.value
  const type = loginTokenType(settings.type, mountTokenType)
  const token: Token = {
    digest: type === 'batch' ? '' : input.digest,
    incarnation: env.newId('token'),
    accessor: type === 'batch' ? '' : input.accessor,
    type,
    parent: null,
    namespace: input.namespace,
    namespaceId: input.namespaceId,
    policies: [...policies],
    meta: { ...input.meta },
    displayName: displayNameOf(input.displayName),
    path: input.path,
    role: null,
    createdAt: env.now,
    expiresAt: env.now + ttlSeconds * 1000,
    lastRenewedAt: null,
    creationTtlSeconds: ttlSeconds,
    ttlSeconds,
    explicitMaxTtlSeconds: settings.explicitMaxTtlSeconds,
    lifeTtlSeconds: settings.explicitMaxTtlSeconds,
    periodSeconds: settings.periodSeconds,
    renewable: type === 'service',
    numUses: type === 'batch' ? 0 : settings.numUses,
    boundCidrs: [...settings.boundCidrs],
    // Groups are for renewals. A batch token has none, and is carried in a header, which hundreds of groups would fill.
    login: { ...input.login, groups: type === 'batch' ? [] : [...input.login.groups] },
  }
  return {
    ok: true,
    state: token,
    value: { token, warnings },
    events: [{ type: 'token.created', accessor: token.accessor, path: token.path, policies: token.policies }],
  }
}

/** The mount decides, where it does; else the method's setting; `default` is whatever the mount defaults to. */
function loginTokenType(
  set: TokenSettings['type'],
  mount: 'default-service' | 'default-batch' | 'service' | 'batch',
): Token['type'] {
  if (mount === 'service' || mount === 'batch') return mount
  if (set === 'batch' || set === 'default-batch') return 'batch'
  if (set === 'service' || set === 'default-service') return 'service'
  return mount === 'default-batch' ? 'batch' : 'service'
}
