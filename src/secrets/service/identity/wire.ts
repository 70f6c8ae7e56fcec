import * as z from 'zod'
import type { IdentityAlias, IdentityGroup } from '../../identity/model.ts'
import type { Identity } from '../../identity/resolve.ts'
import type { Mount } from '../../mounts/index.ts'
import { body, booleanField, listField, pairsField, textField } from '../core/fields.ts'
import { enveloped, Kept } from '../core/reply-shapes.ts'
import { timeText } from '../core/time-text.ts'
import { orNull } from '../core/view.ts'

/** The common fields of a write of an entity and of a group. */
const named = { id: textField, name: textField, metadata: pairsField, policies: listField }
export const EntityBody = body({ ...named, disabled: booleanField })
export const MergeBody = body({ from_entity_ids: listField, to_entity_id: textField, force: booleanField })
export const BatchBody = body({ entity_ids: listField })
export const AliasBody = body({
  id: textField,
  name: textField,
  canonical_id: textField,
  entity_id: textField,
  mount_accessor: textField,
  custom_metadata: pairsField,
  metadata: pairsField,
})
export const GroupBody = body({
  ...named,
  type: textField,
  member_entity_ids: listField,
  member_group_ids: listField,
})
export const LookupBody = body({
  id: textField,
  name: textField,
  alias_id: textField,
  alias_name: textField,
  alias_mount_accessor: textField,
})

/** The readable fields of an alias. */
export const aliasWire = (alias: IdentityAlias, mounts: readonly Mount[]) => {
  const mount = mounts.find(({ accessor }) => accessor === alias.mountAccessor)
  return {
    id: alias.id,
    canonical_id: alias.of,
    name: alias.name,
    mount_accessor: alias.mountAccessor,
    mount_path: mount?.path ?? '',
    mount_type: mount?.type ?? '',
    custom_metadata: orNull(alias.metadata),
    metadata: orNull(alias.metadata),
    creation_time: timeText(alias.createdAt),
    last_update_time: timeText(alias.updatedAt),
    local: false,
    merged_from_canonical_ids: null,
  }
}

/** The readable fields of an entity. */
export const entityWire = (
  { entity, aliases, groups }: Identity,
  mounts: readonly Mount[],
  namespaceId: string,
) => {
  const direct = groups.filter(({ memberEntityIds }) => memberEntityIds.includes(entity.id))
  const idsOf = (some: readonly IdentityGroup[]) => some.map(({ id }) => id)
  return {
    id: entity.id,
    name: entity.name,
    policies: entity.policies,
    metadata: orNull(entity.metadata),
    disabled: entity.disabled,
    aliases: aliases.map((alias) => aliasWire(alias, mounts)),
    group_ids: idsOf(groups),
    direct_group_ids: idsOf(direct),
    inherited_group_ids: idsOf(groups.filter((group) => !direct.includes(group))),
    creation_time: timeText(entity.createdAt),
    last_update_time: timeText(entity.updatedAt),
    merged_entity_ids: null,
    namespace_id: namespaceId,
  }
}

/** The readable fields of a group. */
export const groupWire = (
  {
    group,
    alias,
    parentGroupIds,
  }: {
    readonly group: IdentityGroup
    readonly alias: IdentityAlias | undefined
    readonly parentGroupIds: readonly string[]
  },
  mounts: readonly Mount[],
  namespaceId: string,
) => ({
  id: group.id,
  name: group.name,
  type: group.type,
  policies: orNull(group.policies),
  metadata: orNull(group.metadata),
  member_entity_ids: orNull(group.memberEntityIds),
  member_group_ids: orNull(group.memberGroupIds),
  parent_group_ids: orNull(parentGroupIds),
  alias: alias ? aliasWire(alias, mounts) : {},
  creation_time: timeText(group.createdAt),
  last_update_time: timeText(group.updatedAt),
  modify_index: 1,
  namespace_id: namespaceId,
})

/** The documentation of an entity, an alias or a group. */
export const IdentityReply = enveloped(Kept)
/** The documentation of a list of them. */
export const IdentityKeys = enveloped(z.object({ keys: z.array(z.string()), key_info: Kept.optional() }))
