import { authMountsOf } from './context.ts'
import { memberRoutes } from './member-routes.ts'
import { identityOperations } from './operations.ts'
import { GroupBody, groupWire } from './wire.ts'

/** The routes about groups, relative to the identity store. */
export const groupRoutes = memberRoutes({
  kind: 'group',
  one: 'a group',
  many: 'groups',
  deletion: 'Delete a group; its members stay',
  body: GroupBody,
  write: async (context, by, body) => {
    const result = await identityOperations.writeGroup.run(context, by, {
      name: by && 'name' in by ? undefined : body.name || undefined,
      type: body.type,
      policies: body.policies,
      metadata: body.metadata,
      memberEntityIds: body.member_entity_ids,
      memberGroupIds: body.member_group_ids,
    })
    if (!result.ok) return result
    const { group, isNew } = result.value
    return { ok: true, value: isNew ? { id: group.id, name: group.name } : undefined }
  },
  read: async (context, by) => {
    const { value } = await identityOperations.readGroup.run(context, by)
    return value && groupWire(value, await authMountsOf(context), context.namespace.id)
  },
  delete: identityOperations.deleteGroup.run,
  names: async (context) => (await identityOperations.groups.run(context)).value.map(({ name }) => name),
  info: async (context) => {
    const { value: all } = await identityOperations.groups.run(context)
    return Object.fromEntries(
      all.map(({ id, name, memberEntityIds }) => [
        id,
        {
          name,
          num_member_entities: memberEntityIds.length,
          num_parent_groups: all.filter(({ memberGroupIds }) => memberGroupIds.includes(id)).length,
        },
      ]),
    )
  },
})
