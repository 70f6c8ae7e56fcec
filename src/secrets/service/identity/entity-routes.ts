import { route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { answerDone, type SecretsContext } from '../core/context.ts'
import { authMountsOf } from './context.ts'
import { memberRoutes } from './member-routes.ts'
import { aliasWire, BatchBody, EntityBody, entityWire, MergeBody } from './wire.ts'

const at = route<SecretsContext>()

/** The routes about entities, relative to the identity store. */
export const entityRoutes = [
  ...memberRoutes({
    kind: 'entity',
    one: 'an entity',
    many: 'entities',
    deletion: 'Delete an entity with its aliases; its tokens stop working',
    body: EntityBody,
    write: async ({ services, namespace }, by, { name, policies, metadata, disabled }) => {
      const result = await services.identity.writeEntity(namespace, by, {
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
      const found = await context.services.identity.readEntity(context.namespace, by)
      return found && entityWire(found, await authMountsOf(context), context.namespace.id)
    },
    delete: ({ services, namespace }, by) => services.identity.deleteEntity(namespace, by),
    names: async ({ services, namespace }) =>
      (await services.identity.entities(namespace)).map(({ name }) => name),
    info: async (context) => {
      const { identity } = context.services
      const aliases = await identity.aliases(context.namespace, 'entity')
      const mounts = await authMountsOf(context)
      const aliasesOf = (id: string) => aliases.filter(({ of }) => of === id)
      return Object.fromEntries(
        (await identity.entities(context.namespace)).map(({ id, name }) => [
          id,
          { name, aliases: aliasesOf(id).map((alias) => aliasWire(alias, mounts)) },
        ]),
      )
    },
  }),
  at({
    id: 'identity.delete-entities',
    method: 'POST',
    path: '/entity/batch-delete',
    summary: 'Delete several entities',
    access: 'update',
    body: BatchBody,
    success: 204,
    handle: async ({ context, body }) => {
      for (const id of body.entity_ids ?? [])
        await context.services.identity.deleteEntity(context.namespace, { id })
      return answerDone(context)
    },
  }),
  at({
    id: 'identity.merge-entities',
    method: 'POST',
    path: '/entity/merge',
    summary: 'Merge entities: move their aliases and memberships to another entity, and delete them',
    access: 'update',
    body: MergeBody,
    success: 204,
    refusals: ['identity_invalid'],
    handle: async ({ context, body }) => {
      if (!body.to_entity_id) return refuse('identity_invalid', 'missing entity id to merge to')
      if (!body.from_entity_ids?.length) return refuse('identity_invalid', 'missing entity ids to merge from')
      const { identity } = context.services
      const result = await identity.mergeEntities(context.namespace, body.from_entity_ids, body.to_entity_id)
      return result.ok ? answerDone(context) : result
    },
  }),
]
