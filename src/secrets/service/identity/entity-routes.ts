import { operationRoute } from '../../../http/route.ts'
import type { SecretsContext } from '../core/context.ts'
import { aliasOperations } from './alias-operations.ts'
import { authMountsOf } from './context.ts'
import { memberRoutes } from './member-routes.ts'
import { entitiesOf, identityOperations } from './operations.ts'
import { aliasWire, BatchBody, EntityBody, entityWire, MergeBody } from './wire.ts'

const runs = operationRoute<SecretsContext>()

/** The routes about entities, relative to the identity store. */
export const entityRoutes = [
  ...memberRoutes({
    kind: 'entity',
    one: 'an entity',
    many: 'entities',
    deletion: 'Delete an entity with its aliases; its tokens stop working',
    body: EntityBody,
    write: async (context, by, { name, policies, metadata, disabled }) => {
      const result = await identityOperations.writeEntity.run(context, by, {
        name: by && 'name' in by ? undefined : name || undefined,
        policies,
        metadata,
        disabled,
      })
      if (!result.ok) return result
      const { entity, isNew } = result.value
      return { ok: true, value: isNew ? { id: entity.id, name: entity.name, aliases: null } : undefined }
    },
    read: async (context, by) => {
      const { value } = await identityOperations.readEntity.run(context, by)
      return value && entityWire(value, await authMountsOf(context), context.namespace.id)
    },
    delete: identityOperations.deleteEntity.run,
    names: async (context) => (await entitiesOf(context)).map(({ name }) => name),
    info: async (context) => {
      const { value: aliases } = await aliasOperations.list.run(context, 'entity')
      const mounts = await authMountsOf(context)
      const aliasesOf = (id: string) => aliases.filter(({ of }) => of === id)
      return Object.fromEntries(
        (await entitiesOf(context)).map(({ id, name }) => [
          id,
          { name, aliases: aliasesOf(id).map((alias) => aliasWire(alias, mounts)) },
        ]),
      )
    },
  }),
  runs({
    id: 'identity.delete-entities',
    method: 'POST',
    path: '/entity/batch-delete',
    summary: 'Delete several entities',
    access: 'update',
    body: BatchBody,
    run: identityOperations.deleteEntities,
    with: ({ body }) => [body.entity_ids ?? []],
  }),
  runs({
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
