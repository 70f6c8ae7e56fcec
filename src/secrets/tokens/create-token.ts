import { checkArguments } from '../../kernel/check-arguments.ts'
import { checkInput, type OptionalFields } from '../../kernel/check-input.ts'
import { type Env, type Refused, refuse, type Step } from '../../kernel/index.ts'
import { choosePolicies, fits, type PoliciesRefusal } from './choose-policies.ts'
import { grantTtl, smallest } from './grant-ttl.ts'
import type { Token, TokenEvent, TokenRole } from './model.ts'
import { displayNameOf, isRootToken } from './rules.ts'

/**
 * The options of a new token. Durations are whole seconds, 0 for "not set".
 */
export interface CreateTokenInput {
  /**
   * The keyed digest of the text the caller drew (or was given); one that no text has by default. Unused for batch
   * tokens.
   */
  readonly digest?: string | undefined
  /** A new identifier by default. */
  readonly accessor?: string | undefined
  /** Whether the caller's user chose the text, which takes `sudo`. */
  readonly customText?: boolean | undefined
  readonly path?: string | undefined
  /** The namespace it is made in; the parent's by default. */
  readonly namespace?: string | undefined
  /** Which life of that namespace; the parent's by default. */
  readonly namespaceId?: string | undefined
  readonly policies?: readonly string[] | undefined
  readonly meta?: Readonly<Record<string, string>> | null | undefined
  /** Without a parent: `true` takes `sudo`; `'granted'` when the endpoint itself allows it. */
  readonly orphan?: boolean | 'granted' | undefined
  readonly noDefaultPolicy?: boolean | undefined
  readonly renewable?: boolean | undefined
  readonly ttlSeconds?: number | undefined
  readonly explicitMaxTtlSeconds?: number | undefined
  readonly periodSeconds?: number | undefined
  readonly type?: string | undefined
  readonly displayName?: string | undefined
  readonly numUses?: number | undefined
  /** The name at the token store of the entity to which it belongs; its role must allow it. */
  readonly entityAlias?: string | undefined
  /** The entity of that name; that of the parent by default. */
  readonly entity?: Token['entity'] | undefined
}

/**
 * The context of a creation: the caller's rights, the role, the mount's limits.
 */
export interface TokenPolicy {
  /** Whether the caller has `sudo` on the path; by default a root token has, and no other. */
  readonly sudo?: boolean | undefined
  readonly role?: TokenRole | undefined
  /** 32 days by default. */
  readonly defaultTtlSeconds?: number | undefined
  /** 32 days by default. */
  readonly maxTtlSeconds?: number | undefined
  /** Whether a policy of that name is stored; one that is not is a warning. */
  readonly policyExists?: ((name: string) => boolean) | undefined
}

/** A new token and warnings. */
export interface IssuedToken {
  readonly token: Token
  readonly warnings: readonly string[]
}

const fields: OptionalFields<CreateTokenInput> = {
  digest: '',
  accessor: '',
  customText: false,
  path: '',
  namespace: '',
  namespaceId: '',
  policies: {},
  meta: {},
  orphan: undefined,
  noDefaultPolicy: false,
  renewable: false,
  ttlSeconds: 0,
  explicitMaxTtlSeconds: 0,
  periodSeconds: 0,
  type: '',
  displayName: '',
  numUses: 0,
  entityAlias: '',
  entity: {},
}

/** Why no token was created. */
export type CreateTokenRefusal = 'token_not_allowed' | 'token_invalid' | 'past_max_ttl' | PoliciesRefusal

/**
 * Creates a child of a token.
 *
 * @param parent - the token of the caller, alive
 * @returns the new token as the state, with warnings about capped times and unknown policies
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { createToken, rootToken } from 'plinth/tokens'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'i1' }
 * const root = rootToken({}, env)
 * const token = unwrapStep(createToken(root, { policies: ['web'], ttlSeconds: 3600 }, env)).state
 * token.policies // ['default', 'web']
 * token.expiresAt // env.now + 3_600_000
 * ```
 */
export function createToken(
  parent: Token,
  input: CreateTokenInput,
  env: Env,
  policy: TokenPolicy = {},
): Step<Token, IssuedToken, TokenEvent> | Refused<CreateTokenRefusal> {
  checkArguments('parent', parent)
  checkInput(input, {}, fields, env)
  const { role, sudo = isRootToken(parent) } = policy
  const type = typeOf(input.type ?? '', role)
  if (type === undefined) return refuse('token_invalid', "invalid 'token_type' value")
  const refused = mistake(parent, input, type, sudo, role)
  if (refused) return refused

  const { policies: asked, noDefaultPolicy = false, namespace = parent.namespace } = input
  const elsewhere = namespace !== parent.namespace
  const picked = choosePolicies(parent, { policies: asked, noDefaultPolicy, sudo, elsewhere, role })
  if (!picked.ok) return picked
  const policies = picked.value
  const root = policies.includes('root')
  if (root && type === 'batch') return refuse('token_not_allowed', 'batch tokens cannot be root tokens')

  const times = timesOf(parent, input, root, env, policy)
  if (!times.ok) return times
  const { endless, ttlSeconds, explicit, period } = times.value
  const orphan = Boolean(input.orphan || role?.orphan)
  const entity = input.entity ?? (orphan ? undefined : parent.entity)
  const token: Token = {
    digest: type === 'batch' ? '' : (input.digest ?? env.newId('digest')),
    incarnation: env.newId('token'),
    accessor: type === 'batch' ? '' : (input.accessor ?? env.newId('accessor')),
    type,
    parent: orphan ? null : { digest: parent.digest, incarnation: parent.incarnation },
    namespace,
    namespaceId: input.namespaceId ?? parent.namespaceId,
    policies: [...policies],
    meta: input.meta ? { ...input.meta } : null,
    displayName: input.displayName ? displayNameOf(`token-${input.displayName}`) : 'token',
    path: pathOf(input.path, role),
    role: role?.name ?? null,
    createdAt: env.now,
    expiresAt: endless ? null : env.now + ttlSeconds * 1000,
    lastRenewedAt: null,
    creationTtlSeconds: ttlSeconds,
    ttlSeconds,
    explicitMaxTtlSeconds: input.explicitMaxTtlSeconds ?? 0,
    lifeTtlSeconds: explicit,
    periodSeconds: period,
    renewable: !endless && type === 'service' && (input.renewable ?? true) && (role?.renewable ?? true),
    numUses: smallest(input.numUses ?? 0, role?.numUses ?? 0),
    boundCidrs: endless ? [] : [...(role?.boundCidrs ?? (orphan ? [] : parent.boundCidrs))],
    login: null,
    // An orphan has no parent.
    ...(entity === undefined ? {} : { entity: { ...entity } }),
  }
  return issued(token, [
    ...times.value.warnings,
    ...unknownPolicies(policies, policy.policyExists),
    ...times.value.capped,
  ])
}

/** The step that creates a token. */
export const issued = (token: Token, warnings: readonly string[]): Step<Token, IssuedToken, TokenEvent> => ({
  ok: true,
  state: token,
  value: { token, warnings },
  events: [{ type: 'token.created', accessor: token.accessor, path: token.path, policies: token.policies }],
})

/** The request path that creates a token; a role may add a suffix to it, by which its tokens can be found. */
function pathOf(given: string | undefined, role: TokenRole | undefined): string {
  const path = given ?? (role ? `auth/token/create/${role.name}` : 'auth/token/create')
  return role?.pathSuffix ? `${path}/${role.pathSuffix}` : path
}

const unknownPolicies = (policies: readonly string[], exists: TokenPolicy['policyExists']) =>
  policies
    .filter((name) => name !== 'root' && exists?.(name) === false)
    .map((name) => `Policy "${name}" does not exist`)

/** The times of a new token; a root token without any of its own never expires. */
function timesOf(parent: Token, input: CreateTokenInput, root: boolean, env: Env, policy: TokenPolicy) {
  const { role, defaultTtlSeconds, maxTtlSeconds } = policy
  const warnings: string[] = []
  const explicit = lesser(
    'explicit_max_ttl',
    input.explicitMaxTtlSeconds ?? 0,
    role?.explicitMaxTtlSeconds ?? 0,
    warnings,
  )
  const period = lesser('period', input.periodSeconds ?? 0, role?.periodSeconds ?? 0, warnings)
  const incrementSeconds = input.ttlSeconds ?? 0
  const endless = root && incrementSeconds === 0 && period === 0 && explicit === 0
  if (endless && parent.expiresAt !== null)
    return refuse('token_not_allowed', 'expiring root tokens cannot create non-expiring root tokens')
  const limits = { periodSeconds: period, explicitMaxTtlSeconds: explicit, defaultTtlSeconds, maxTtlSeconds }
  const granted = endless
    ? { ok: true as const, value: { ttlSeconds: 0, warnings: [] } }
    : grantTtl({ incrementSeconds, ...limits }, env.now)
  if (!granted.ok) return granted
  const { ttlSeconds, warnings: capped } = granted.value
  return { ok: true as const, value: { endless, ttlSeconds, explicit, period, warnings, capped } }
}

function typeOf(asked: string, role: TokenRole | undefined): Token['type'] | undefined {
  if (role?.tokenType === 'service' || role?.tokenType === 'batch') return role.tokenType
  if (asked === '') return role?.tokenType === 'default-batch' ? 'batch' : 'service'
  return asked === 'service' || asked === 'batch' ? asked : undefined
}

/** The refusals of a request before policies and times are checked. */
function mistake(
  parent: Token,
  input: CreateTokenInput,
  type: Token['type'],
  sudo: boolean,
  role: TokenRole | undefined,
): Refused<'token_not_allowed' | 'token_invalid'> | undefined {
  if (parent.type === 'batch') return refuse('token_not_allowed', 'batch tokens cannot create more tokens')
  if (parent.numUses !== 0)
    return refuse('token_not_allowed', 'restricted use token cannot generate child tokens')
  const sudoNeeded = (what: string) =>
    refuse('token_not_allowed', `root or sudo privileges required to ${what}`)
  if ((input.numUses ?? 0) < 0) return refuse('token_invalid', 'number of uses cannot be negative')
  const misnamed = input.entityAlias ? entityAliasProblem(input.entityAlias, role) : undefined
  if (misnamed) return misnamed
  const durations = [
    ['ttl', input.ttlSeconds],
    ['explicit_max_ttl', input.explicitMaxTtlSeconds],
    ['period', input.periodSeconds],
  ] as const
  for (const [name, seconds] of durations) {
    if ((seconds ?? 0) < 0) return refuse('token_invalid', `${name} must be positive`)
  }
  if (type === 'batch') {
    const set = (
      [
        ['explicit_max_ttl', input.explicitMaxTtlSeconds],
        ['num_uses', input.numUses || role?.numUses],
        ['period', input.periodSeconds],
      ] as const
    ).find(([, value]) => (value ?? 0) > 0)
    if (set) return refuse('token_invalid', `batch tokens cannot have "${set[0]}" set`)
    if (input.customText) return refuse('token_invalid', 'batch tokens cannot have a custom ID')
  }
  if (input.customText && !sudo) return sudoNeeded('specify token id')
  // A role cannot grant more than it has: an orphan outlives its parent, and a period has no end.
  if (input.orphan === true && !sudo && !role?.orphan) return sudoNeeded('create orphan token')
  if ((input.periodSeconds ?? 0) > 0 && !sudo && !role?.periodSeconds)
    return sudoNeeded('create periodic token')
  return undefined
}

/** Why a role does not allow a token to belong to the entity of this name. */
function entityAliasProblem(name: string, role: TokenRole | undefined): Refused<'token_invalid'> | undefined {
  if (role === undefined)
    return refuse('token_invalid', "'entity_alias' is only allowed in combination with token role")
  const isAllowed = role.allowedEntityAliases.some((allowed) =>
    fits(allowed.toLowerCase(), name.toLowerCase()),
  )
  return isAllowed ? undefined : refuse('token_invalid', "invalid 'entity_alias' value")
}

/** The smaller of the caller's and the role's limit; if both are set, a warning says so. */
function lesser(name: string, asked: number, role: number, warnings: string[]): number {
  if (asked && role)
    warnings.push(`${name} is set both in the request and in the role; the lesser value is used`)
  return smallest(asked, role)
}
