import { type Refused, refuse } from '../../kernel/index.ts'
import { normalisePolicies, wrappingPolicyName } from '../acl/policy-names.ts'
import type { Token, TokenRole } from './model.ts'
import { isRootToken } from './rules.ts'

/** The policies of a new token, or why it cannot have them. */
export type PoliciesRefusal = 'policies_not_allowed' | 'root_not_allowed' | 'policy_internal'

export interface PolicyWish {
  /** `undefined` if the caller named none. */
  readonly policies: readonly string[] | undefined
  readonly noDefaultPolicy: boolean
  readonly sudo: boolean
  /** Whether the child belongs to another namespace, where the same names are other policies. */
  readonly elsewhere: boolean
  readonly role: TokenRole | undefined
}

/**
 * Chooses the policies of a child token: by default the parent's, otherwise a subset of them, any policies with `sudo`,
 * or those that the role allows.
 */
export function choosePolicies(
  parent: Token,
  wish: PolicyWish,
): { readonly ok: true; readonly value: readonly string[] } | Refused<PoliciesRefusal> {
  const named = wish.role && restricts(wish.role) ? byRole(parent, wish, wish.role) : byParent(parent, wish)
  if (!named.ok) return named
  const names = normalisePolicies(named.value)
  const internal = internalPolicyProblem(names)
  if (internal) return internal
  if (names.includes('root') && !isRootToken(parent)) {
    return refuse('root_not_allowed', 'root tokens may not be created without parent token being root')
  }
  const noDefault = wish.noDefaultPolicy || (wish.role?.noDefaultPolicy ?? false)
  return chosen(noDefault ? names.filter((name) => name !== 'default') : names)
}

const restricts = (role: TokenRole): boolean =>
  [role.allowedPolicies, role.allowedPoliciesGlob, role.disallowedPolicies, role.disallowedPoliciesGlob].some(
    (names) => names.length > 0,
  )

/** Why these policies cannot be assigned to a token. */
export const internalPolicyProblem = (names: readonly string[]): Refused<'policy_internal'> | undefined =>
  names.includes(wrappingPolicyName)
    ? refuse('policy_internal', `cannot assign policy "${wrappingPolicyName}"`)
    : undefined

type Chosen = { readonly ok: true; readonly value: readonly string[] } | Refused<PoliciesRefusal>

const chosen = (value: readonly string[]): Chosen => ({ ok: true, value })

/**
 * The default policies of a child. The parent's policies are those of its own namespace; in another one only root
 * counts.
 */
const inherited = (parent: Token, { elsewhere }: PolicyWish): readonly string[] =>
  elsewhere && !isRootToken(parent) ? ['default'] : normalisePolicies(parent.policies)

function byParent(parent: Token, wish: PolicyWish): Chosen {
  const { policies, sudo, noDefaultPolicy } = wish
  const own = new Set(inherited(parent, wish))
  if (policies === undefined || policies.length === 0) return chosen([...own])
  const wanted = normalisePolicies(policies)
  if (sudo) return chosen(noDefaultPolicy || wanted.includes('root') ? wanted : [...wanted, 'default'])
  const missing = wanted.filter((name) => !own.has(name))
  if (missing.length > 0 && !own.has('root')) {
    return refuse('policies_not_allowed', 'child policies must be subset of parent', { policies: missing })
  }
  return chosen(own.has('default') && !noDefaultPolicy ? [...wanted, 'default'] : wanted)
}

function byRole(parent: Token, wish: PolicyWish, role: TokenRole): Chosen {
  const { policies, noDefaultPolicy } = wish
  const named = policies !== undefined && policies.length > 0
  const listed = role.allowedPolicies.length > 0 || role.allowedPoliciesGlob.length > 0
  let wanted = named
    ? normalisePolicies(policies)
    : normalisePolicies(listed ? role.allowedPolicies : inherited(parent, wish))
  const isAllowed = among(role.allowedPolicies, role.allowedPoliciesGlob)
  const isDisallowed = among(role.disallowedPolicies, role.disallowedPoliciesGlob)
  if (named && listed) {
    const wrong = wanted.filter((name) => !isAllowed(name) && name !== 'default')
    if (wrong.length > 0) {
      return refuse(
        'policies_not_allowed',
        `token policies (${wanted.join(', ')}) must be subset of the role's allowed policies`,
        {
          policies: wrong,
        },
      )
    }
  }
  const withDefault =
    !noDefaultPolicy && !role.noDefaultPolicy && !isDisallowed('default') && !wanted.includes('root')
  if (withDefault) wanted = [...wanted, 'default']
  const forbidden = wanted.filter(isDisallowed)
  if (forbidden.length > 0) {
    return refuse('policies_not_allowed', `token policy "${forbidden[0]}" is disallowed by this role`, {
      policies: forbidden,
    })
  }
  return chosen(wanted)
}

const among = (names: readonly string[], globs: readonly string[]) => (name: string) =>
  names.includes(name) || globs.some((glob) => fits(glob, name))

/** `*` in a role's pattern matches any text. */
export function fits(glob: string, name: string): boolean {
  const [first = '', ...rest] = glob.split('*')
  const last = rest.pop()
  if (last === undefined) return name === glob
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > name.length - last.length) return false
    at = found + part.length
  }
  return true
}
