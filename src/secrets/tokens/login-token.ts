import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Refused, refuse, type Step } from '../../kernel/index.ts'
import { normalisePolicies, withDefaultPolicy } from '../acl/policy-names.ts'
import { internalPolicyProblem } from './choose-policies.ts'
import { type IssuedToken, issued } from './create-token.ts'
import { grantTtl } from './grant-ttl.ts'
import type { Token, TokenEvent } from './model.ts'
import { displayNameOf } from './rules.ts'
import { type TokenSettings, unsetTokenSettings } from './token-settings.ts'

/**
 * The user of a login, and its method.
 */
export interface LoginTokenInput {
  readonly digest: string
  readonly accessor: string
  /** `auth/idp/login/ada`. */
  readonly path: string
  /** The namespace of the auth mount; the root one by default. */
  readonly namespace?: string | undefined
  /** The incarnation of that namespace; that of the root one by default. */
  readonly namespaceId?: string | undefined
  readonly displayName: string
  readonly meta?: Readonly<Record<string, string>> | undefined
  /** The policies of user and groups, in addition to the method's own; none by default. */
  readonly policies?: readonly string[] | undefined
  /** The entity that signed in, and the namespace of that; none by default. */
  readonly entity?: { readonly namespace: string; readonly id: string } | undefined
  /** The auth mount's id, the user, and the user's groups: a renewal compares them. */
  readonly login: {
    readonly mount: string
    readonly user: string
    readonly groups: readonly string[]
    /** How often the mount had been moved: its next move ends the token. */
    readonly moves?: number | undefined
  }
}

/** The bounds of the auth mount. */
export interface LoginTokenPolicy {
  /** {@link unsetTokenSettings} by default. */
  readonly settings?: TokenSettings | undefined
  /** 32 days by default. */
  readonly defaultTtlSeconds?: number | undefined
  /** 32 days by default. */
  readonly maxTtlSeconds?: number | undefined
  /** The mount's type for tokens without one; `default-service` by default. */
  readonly mountTokenType?: 'default-service' | 'default-batch' | 'service' | 'batch' | undefined
}

/**
 * Creates the token of a login: an orphan, with the policies of the method, the user and the groups.
 *
 * @returns the token, `login_root` if the policies would make it root, `policy_internal` if one is internal to the
 * service, or `past_max_ttl`
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { loginToken, unsetTokenSettings } from 'plinth/tokens'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'i' }
 * const ada = {
 *   digest: 'd',
 *   accessor: 'a',
 *   path: 'auth/idp/login/ada',
 *   displayName: 'idp-ada',
 *   policies: ['developers'],
 *   login: { mount: 'm', user: 'ada', groups: ['dev'] },
 * }
 * const settings = { ...unsetTokenSettings, ttlSeconds: 600 }
 * const token = unwrapStep(loginToken(undefined, ada, env, { settings })).state
 * token.policies // ['default', 'developers']
 * token.ttlSeconds // 600
 * const root = loginToken(undefined, { ...ada, policies: ['root'] }, env)
 * root.ok || root.refusal.code // 'login_root'
 * ```
 */
export function loginToken(
  _none: undefined,
  input: LoginTokenInput,
  env: Env,
  policy: LoginTokenPolicy = {},
): Step<Token, IssuedToken, TokenEvent> | Refused<'login_root' | 'policy_internal' | 'past_max_ttl'> {
  checkInput(
    input,
    { digest: '', accessor: '', path: '', displayName: '', login: {} },
    { namespace: '', namespaceId: '', meta: {}, policies: {}, entity: {} },
    env,
  )
  const { settings = unsetTokenSettings, mountTokenType = 'default-service' } = policy
  const named = [...settings.policies, ...(input.policies ?? [])]
  const policies = settings.noDefaultPolicy ? normalisePolicies(named) : withDefaultPolicy(named)
  if (policies.includes('root')) return refuse('login_root', 'auth methods cannot create root tokens')
  const internal = internalPolicyProblem(policies)
  if (internal) return internal
  const granted = grantTtl(limitsOf(settings, policy), env.now)
  if (!granted.ok) return granted
  const { ttlSeconds, warnings } = granted.value
  const type = loginTokenType(settings.type, mountTokenType)
  const token: Token = {
    digest: type === 'batch' ? '' : input.digest,
    incarnation: env.newId('token'),
    accessor: type === 'batch' ? '' : input.accessor,
    type,
    parent: null,
    namespace: input.namespace ?? '',
    namespaceId: input.namespaceId ?? 'root',
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
    // Groups are needed for renewals. A batch token has none, and is sent in a header, which hundreds of groups would
    // fill.
    login: { ...input.login, groups: type === 'batch' ? [] : [...input.login.groups] },
    ...(input.entity === undefined ? {} : { entity: { ...input.entity } }),
  }
  return issued(token, warnings)
}

/** The limits of a login's token: the method's settings within those of its mount. */
const limitsOf = (settings: TokenSettings, { defaultTtlSeconds, maxTtlSeconds }: LoginTokenPolicy) => ({
  backendTtlSeconds: settings.ttlSeconds,
  backendMaxTtlSeconds: settings.maxTtlSeconds,
  periodSeconds: settings.periodSeconds,
  explicitMaxTtlSeconds: settings.explicitMaxTtlSeconds,
  defaultTtlSeconds,
  maxTtlSeconds,
})

/** The mount's setting wins over the method's; `default` means the mount's default. */
function loginTokenType(
  set: TokenSettings['type'],
  mount: 'default-service' | 'default-batch' | 'service' | 'batch',
): Token['type'] {
  if (mount === 'service' || mount === 'batch') return mount
  if (set === 'batch' || set === 'default-batch') return 'batch'
  if (set === 'service' || set === 'default-service') return 'service'
  return mount === 'default-batch' ? 'batch' : 'service'
}
