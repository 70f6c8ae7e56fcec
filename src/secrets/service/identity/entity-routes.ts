import { routeOperation } from '../../../operation/operation.ts'
import { found } from '../core/answer.ts'
import { operationRoute, type Within } from '../core/context.ts'
import { aliasOperations } from './alias-operations.ts'
import { authMountsOf } from './context.ts'
import { memberRoutes } from './member-routes.ts'
import { entitiesOf, identityOperations } from './operations.ts'
import { aliasWire, BatchBody, EntityBody, entityWire, MergeBody } from './wire.ts'

/** The name and the aliases of each entity. */
const entityInfo = routeOperation({
  refuses: [],
  run: async (context: Within) => {
    const { value: aliases } = await aliasOperations.list.run(context, 'entity')
    const mounts = await authMountsOf(context)
    const aliasesOf = (id: string) => aliases.filter(({ of }) => of === id)
    return found(
      Object.fromEntries(
        (await entitiesOf(context)).map(({ id, name }) => [
          id,
          { name, aliases: aliasesOf(id).map((alias) => aliasWire(alias, mounts)) },
        ]),
      ),
    )
  },
})

/** The routes about entities, relative to the identity store. */
export const entityRoutes = [
  ...memberRoutes({
    kind: 'entity',
    one: 'an entity',
    many: 'entities',
    deletion: 'Delete an entity with its aliases; its tokens stop working',
    body: EntityBody,
    write: identityOperations.writeEntity,
    inputOf: ({ name, policies, metadata, disabled }, by) => ({
      name: by && 'name' in by ? undefined : name || undefined,
      policies,
      metadata,
      disabled,
    }),
    writtenWire: ({ entity, isNew }) =>
      isNew ? { id: entity.id, name: entity.name, aliases: null } : undefined,
    read: identityOperations.readEntity,
    wire: async (seen, context) => entityWire(seen, await authMountsOf(context), context.namespace.id),
    delete: identityOperations.deleteEntity,
    list: identityOperations.entities,
    info: entityInfo,
  }),
  operationRoute({
    id: 'identity.delete-entities',
    method: 'POST',
    path: '/entity/batch-delete',
    summary: 'Delete several entities',
    access: 'update',
    body: BatchBody,
    run: identityOperations.deleteEntities,
    with: ({ body }) => [body.entity_ids ?? []],
  }),
  operationRoute({
    id: 'identity.merge-entities',
    method: 'POST',
    path: '/entity/merge',
    summary: 'Merge entities: move their aliases and memberships to another entity, and delete them',
    access: 'update',
    body: MergeBody,
    run: identityOperations.mergeEntities,
    with: ({ body }) => [body.from_entity_ids ?? [], body.to_entity_id ?? ''],
  }),
]
