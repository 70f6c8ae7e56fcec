import { ownValue } from '../../kernel/objects.ts'
import { normalisePolicies } from '../acl/policy-names.ts'
import type { Entity, IdentityAlias, IdentityGroup } from './model.ts'

/** An entity with its groups: the policies of its tokens, and the values for templates. */
export interface Identity {
  readonly entity: Entity
  readonly aliases: readonly IdentityAlias[]
  /** The groups that it is in, directly or through other groups. */
  readonly groups: readonly IdentityGroup[]
  /** The policies of entity and groups. */
  readonly policies: readonly string[]
}

/** Combines an entity with its groups. */
export function identityOf(
  entity: Entity,
  aliases: readonly IdentityAlias[],
  all: readonly IdentityGroup[],
): Identity {
  const groups = new Map<string, IdentityGroup>()
  const waiting = all.filter(({ memberEntityIds }) => memberEntityIds.includes(entity.id))
  for (let group = waiting.pop(); group !== undefined; group = waiting.pop()) {
    const { id } = group
    if (groups.has(id)) continue
    groups.set(id, group)
    waiting.push(...all.filter(({ memberGroupIds }) => memberGroupIds.includes(id)))
  }
  const own = [...groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const policies = normalisePolicies([...entity.policies, ...own.flatMap((group) => group.policies)])
  return { entity, aliases, groups: own, policies }
}

/**
 * The value of a template in a policy's path (`identity.entity.name`); `undefined` if it does not exist, which disables
 * the rule.
 *
 * @param name - the text between the braces
 */
export function templateValue({ entity, aliases, groups }: Identity, name: string): string | undefined {
  const [root, kind, ...rest] = name.split('.')
  if (root !== 'identity') return undefined
  if (kind === 'entity') {
    if (rest[0] !== 'aliases') return partOf(entity, rest)
    const alias = aliases.find(({ mountAccessor }) => mountAccessor === rest[1])
    return alias && partOf(alias, rest.slice(2))
  }
  if (kind !== 'groups') return undefined
  // A group's name may contain dots itself: it ends before the last part, or before the last part and the metadata key.
  const [by, ...path] = rest
  for (let length = path.length - 1; length > 0; length -= 1) {
    const named = path.slice(0, length).join('.')
    const group = groups.find((one) => (by === 'ids' ? one.id : by === 'names' ? one.name : '') === named)
    const value = group && partOf(group, path.slice(length))
    if (value !== undefined) return value
  }
  return undefined
}

function partOf(
  of: { readonly id: string; readonly name: string; readonly metadata: Readonly<Record<string, string>> },
  [part, ...key]: readonly string[],
): string | undefined {
  if (part === 'metadata' || part === 'custom_metadata') {
    const note = key.join('.')
    return ownValue(of.metadata, note)
  }
  if (key.length > 0) return undefined
  return part === 'id' ? of.id : part === 'name' ? of.name : undefined
}
