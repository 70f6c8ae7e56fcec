import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { nameProblem } from '../name-length.ts'
import type { IdentityEvent, IdentityGroup } from './model.ts'
import { identityPolicies } from './write-entity.ts'

/** The fields of a write to a group; omitted fields stay unchanged. */
export interface GroupInput {
  readonly name?: string | undefined
  readonly type?: string | undefined
  readonly policies?: readonly string[] | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly memberEntityIds?: readonly string[] | undefined
  readonly memberGroupIds?: readonly string[] | undefined
}

/** The other objects that a group must be consistent with. */
export interface GroupPolicy {
  readonly entityExists: (id: string) => boolean
  /** A group by its identifier. */
  readonly find: (id: string) => IdentityGroup | undefined
}

/** Creates or changes a group. A group cannot contain itself, directly or indirectly. */
export function writeGroup(
  group: IdentityGroup | undefined,
  input: GroupInput,
  env: Env,
  policy: GroupPolicy,
): Outcome<IdentityGroup, IdentityGroup, IdentityEvent, 'identity_invalid'> {
  checkInput(
    input,
    {},
    { name: '', type: '', policies: {}, metadata: {}, memberEntityIds: {}, memberGroupIds: {} },
    env,
  )
  const wrong = (message: string) => refuse('identity_invalid', message)
  const id = group?.id ?? env.newId('group')
  const name = input.name ?? group?.name ?? `group_${id}`
  const misnamed = nameProblem('group name', name)
  if (misnamed !== undefined) return wrong(misnamed)
  const type = input.type || group?.type || 'internal'
  if (type !== 'internal' && type !== 'external')
    return wrong(`invalid group type ${JSON.stringify(type)}; use internal or external`)
  if (group !== undefined && group.type !== type) return wrong('group type cannot be changed')
  if (type === 'external' && input.memberEntityIds !== undefined)
    return wrong("member entities can't be set manually for external groups: logins set them")
  if (type === 'external' && input.memberGroupIds !== undefined)
    return wrong("member groups can't be set for external groups")
  const policies = identityPolicies(input.policies ?? group?.policies ?? [])
  if ('ok' in policies) return policies
  const next: IdentityGroup = {
    id,
    name,
    type,
    policies: [...policies.value],
    metadata: { ...(input.metadata ?? group?.metadata) },
    memberEntityIds: unique(input.memberEntityIds ?? group?.memberEntityIds),
    memberGroupIds: unique(input.memberGroupIds ?? group?.memberGroupIds),
    createdAt: group?.createdAt ?? env.now,
    updatedAt: env.now,
  }
  const stranger = input.memberEntityIds?.find((member) => !policy.entityExists(member))
  if (stranger !== undefined) return wrong(`there is no entity ${JSON.stringify(stranger)}`)
  const missing = input.memberGroupIds?.find((member) => policy.find(member) === undefined)
  if (missing !== undefined) return wrong(`there is no group ${JSON.stringify(missing)}`)
  if (contains(next, id, policy)) return wrong('a group cannot contain itself')
  return { ok: true, state: next, value: next, events: [{ type: 'identity.group_written', group: id }] }
}

const unique = (ids: readonly string[] | undefined): string[] => [...new Set(ids)].sort()

/** Whether a group is a direct or indirect member of another. */
function contains(group: IdentityGroup, id: string, { find }: GroupPolicy): boolean {
  const waiting = [...group.memberGroupIds]
  const seen = new Set<string>()
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === id) return true
    if (seen.has(at)) continue
    seen.add(at)
    waiting.push(...(find(at)?.memberGroupIds ?? []))
  }
  return false
}
