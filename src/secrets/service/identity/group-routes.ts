import { routeOperation } from '../../../operation/operation.ts'
import { found } from '../core/answer.ts'
import type { Within } from '../core/context.ts'
import { authMountsOf } from './context.ts'
import { memberRoutes } from './member-routes.ts'
import { identityOperations } from './operations.ts'
import { GroupBody, groupWire } from './wire.ts'

/** The name of each group, and the numbers of its members and parents. */
const groupInfo = routeOperation({
  refuses: [],
  run: async (context: Within) => {
    const { value: all } = await identityOperations.groups.run(context)
    return found(
      Object.fromEntries(
        all.map(({ id, name, memberEntityIds }) => [
          id,
          {
            name,
            num_member_entities: memberEntityIds.length,
            num_parent_groups: all.filter(({ memberGroupIds }) => memberGroupIds.includes(id)).length,
          },
        ]),
      ),
    )
  },
})

/** The routes about groups, relative to the identity store. */
export const groupRoutes = memberRoutes({
  kind: 'group',
  one: 'a group',
  many: 'groups',
  deletion: 'Delete a group; its members stay',
  body: GroupBody,
  write: identityOperations.writeGroup,
  inputOf: (body, by) => ({
    name: by && 'name' in by ? undefined : body.name || undefined,
    type: body.type,
    policies: body.policies,
    metadata: body.metadata,
    memberEntityIds: body.member_entity_ids,
    memberGroupIds: body.member_group_ids,
  }),
  writtenWire: ({ group, isNew }) => (isNew ? { id: group.id, name: group.name } : undefined),
  read: identityOperations.readGroup,
  wire: async (seen, context) => groupWire(seen, await authMountsOf(context), context.namespace.id),
  delete: identityOperations.deleteGroup,
  list: identityOperations.groups,
  info: groupInfo,
})
