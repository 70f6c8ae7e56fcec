import { equalTexts } from '../../crypto/compare.ts'
import { type Env, type Refused, refuse } from '../../kernel/index.ts'
import { lru } from '../../kernel/lru.ts'
import type { Snapshot } from '../../store/index.ts'
import { type Access, accessOf, fullAccess } from '../acl/access.ts'
import type { NamespaceCapability } from '../acl/capabilities.ts'
import type { AclTokenRecord } from '../acl/model.ts'
import { readRules } from '../acl/policy-text.ts'
import { policyRecords, roleRecords, tokenRecords } from '../records/collections.ts'
import type { LentTokens } from './lent-tokens.ts'

/** The caller. */
export interface Caller {
  readonly access: Access
  /** The names of their policies. */
  readonly policies: readonly string[]
  /** Their stored token, or the name that the embedding program gave them. */
  readonly accessor?: string | undefined
}

/** Finds the owner of a token in a snapshot. */
export type Authenticator = (
  now: Snapshot,
  token: string | undefined,
) => { readonly ok: true; readonly value: Caller } | Refused<'permission_denied'>

/** The one text for every refusal of access: callers without access do not learn the reason. */
export const permissionDenied = (): Refused<'permission_denied'> =>
  refuse('permission_denied', 'Permission denied')

/**
 * Decides whether an object that a caller names by its ID alone exists for them. One in a namespace that they cannot
 * read, and in which they lack the rights that the call needs, does not, so that guessing IDs reveals nothing.
 */
export const seenBy = <Found extends { readonly Namespace: string }>(
  access: Access,
  found: Found | undefined,
  ...asked: readonly NamespaceCapability[]
): Found | undefined =>
  found !== undefined && access.namespace(found.Namespace, 'read-job', ...asked) ? found : undefined

/** A caller that may do everything. */
const manager: Caller = { access: fullAccess, policies: [] }

/** The policy of callers without a token. */
const anonymousPolicy = 'anonymous'

/** How many combinations of policies are remembered. */
const accessesKept = 4096

/**
 * Looks up tokens and combines their policies. The result for a set of policies is cached until a policy changes.
 */
export function authenticator(
  env: () => Env,
  {
    enabled,
    managementToken,
    lent,
  }: {
    readonly enabled: boolean
    readonly managementToken: string | undefined
    readonly lent: LentTokens
  },
): Authenticator {
  if (!enabled) {
    const everything = { ok: true, value: manager } as const
    return () => everything
  }
  const accesses = lru<Access>(accessesKept, () => 1)
  let policiesAt = -1

  const accessFor = (now: Snapshot, names: readonly string[]): Access => {
    const at = now.get(policyRecords.markOf())?.modified ?? 0
    if (at !== policiesAt) {
      accesses.clear()
      policiesAt = at
    }
    const id = JSON.stringify([at, ...[...new Set(names)].sort()])
    const known = accesses.get(id)
    if (known !== undefined) return known
    const rules = names.flatMap((name) => {
      const text = policyRecords.get(now, name)?.value.Rules
      const read = text === undefined ? undefined : readRules(text)
      return read?.ok ? [read.value] : []
    })
    const access = accessOf(rules, id)
    accesses.set(id, access)
    return access
  }
  const isLive = ({ ExpirationTime }: AclTokenRecord) =>
    ExpirationTime === null || Date.parse(ExpirationTime) > env().now

  return (now, token) => {
    if (token === undefined || token === '') {
      const policies = [anonymousPolicy]
      return { ok: true, value: { access: accessFor(now, policies), policies } }
    }
    if (managementToken !== undefined && equalTexts(token, managementToken))
      return { ok: true, value: manager }
    const rights = lent.rightsIn(token)
    if (rights !== undefined) {
      const { policies, name } = rights
      return { ok: true, value: { access: accessFor(now, policies), policies, accessor: name } }
    }
    const record = isKeyable(token) ? tokenRecords.find(now, 'secret', token)?.value : undefined
    if (record === undefined || !isLive(record)) return permissionDenied()
    const { AccessorID: accessor, Policies, Roles, Type } = record
    const policies = [...Policies, ...policiesOf(now, Roles ?? [])]
    const access = Type === 'management' ? fullAccess : accessFor(now, policies)
    return { ok: true, value: { access, policies, accessor } }
  }
}

/** The policies of roles that exist. */
const policiesOf = (now: Snapshot, roles: AclTokenRecord['Roles']): readonly string[] =>
  roles.flatMap(({ ID }) => (roleRecords.get(now, ID)?.value.Policies ?? []).map(({ Name }) => Name))

/** A client's token is looked up only if it can be part of a key. */
const isKeyable = (token: string): boolean => /^[\x21-\x7e]{1,256}$/.test(token)
