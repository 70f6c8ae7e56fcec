import { authMountsOf } from './context.ts'
import { memberRoutes } from './member-routes.ts'
import { GroupBody, groupWire } from './wire.ts'

/** The routes about groups, relative to the identity store. */
export const groupRoutes = memberRoutes({
  kind: 'group',
  one: 'a group',
  many: 'groups',
  deletion: 'Delete a group; its members stay',
  body: GroupBody,
  write: async ({ services, namespace }, by, body) => {
    const result = await services.identity.writeGroup(namespace, by, {
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
    const found = await context.services.identity.readGroup(context.namespace, by)
    return found && groupWire(found, await authMountsOf(context), context.namespace.id)
  },
  delete: ({ services, namespace }, by) => services.identity.deleteGroup(namespace, by),
  names: async ({ services, namespace }) =>
    (await services.identity.groups(namespace)).map(({ name }) => name),
  info: async ({ services, namespace }) => {
    const all = await services.identity.groups(namespace)
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
