import type * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { answerDone, answerKeys, answerWith, notFound, type SecretsContext } from '../context.ts'
import { mayWarn, orNothing } from '../reply-shapes.ts'
import { answerInfo, authMountsOf } from './context.ts'
import type { IdentityName } from './finding.ts'
import {
  aliasWire,
  BatchBody,
  EntityBody,
  entityWire,
  IdentityKeys,
  IdentityReply,
  LookupBody,
  MergeBody,
} from './wire.ts'

const at = route<SecretsContext>()
const refusals = ['identity_invalid'] as const

async function write(
  context: SecretsContext,
  by: IdentityName | undefined,
  body: z.output<typeof EntityBody>,
): Promise<Reply | Refused<'identity_invalid'>> {
  const { name, policies, metadata, disabled } = body
  const result = await context.services.identity.writeEntity(context.namespace, by, {
    name: by && 'name' in by ? undefined : name || undefined,
    policies,
    metadata,
    disabled,
  })
  if (!result.ok) return result
  const { entity, isNew } = result.value
  return isNew
    ? answerWith(context, { data: { id: entity.id, name: entity.name, aliases: null } })
    : answerDone(context)
}

async function read(context: SecretsContext, by: IdentityName): Promise<Reply> {
  const found = await context.services.identity.readEntity(context.namespace, by)
  return found ? answerWith(context, { data: entityWire(found, await authMountsOf(context)) }) : notFound
}

/** The two ways to name an entity in a path. */
const ways = [
  {
    by: 'id',
    path: '/entity/id/:key',
    list: '/entity/id',
    name: (key: string): IdentityName => ({ id: key }),
  },
  {
    by: 'name',
    path: '/entity/name/*key',
    list: '/entity/name',
    name: (key: string): IdentityName => ({ name: key }),
  },
] as const

/** The routes about entities, relative to the identity store. */
export const entityRoutes = [
  at({
    id: 'identity.write-entity',
    method: 'POST',
    path: '/entity',
    summary: 'Create an entity, or change the one with an identifier or a name',
    access: 'update',
    body: EntityBody,
    refusals,
    reply: IdentityReply,
    also: mayWarn.also,
    handle: ({ context, body }) =>
      write(context, body.id ? { id: body.id } : body.name ? { name: body.name } : undefined, body),
  }),
  ...ways.flatMap(({ by, path, list, name }) => [
    at({
      id: `identity.read-entity-by-${by}`,
      method: 'GET',
      path,
      summary: `Read an entity by its ${by}`,
      access: 'read',
      reply: IdentityReply,
      ...orNothing,
      handle: ({ context, params }) => read(context, name(params['key'] ?? '')),
    }),
    at({
      id: `identity.write-entity-by-${by}`,
      method: 'POST',
      path,
      summary: by === 'id' ? 'Change an entity' : 'Create or change an entity by its name',
      access: 'update',
      body: EntityBody,
      refusals,
      reply: IdentityReply,
      also: mayWarn.also,
      handle: ({ context, params, body }) => write(context, name(params['key'] ?? ''), body),
    }),
    at({
      id: `identity.delete-entity-by-${by}`,
      method: 'DELETE',
      path,
      summary: 'Delete an entity with its aliases; its tokens stop working',
      access: 'delete',
      success: 204,
      handle: async ({ context, params }) => {
        await context.services.identity.deleteEntity(context.namespace, name(params['key'] ?? ''))
        return answerDone(context)
      },
    }),
    at({
      id: `identity.entities-by-${by}`,
      method: 'LIST',
      path: list,
      summary: `List the entities by ${by}`,
      access: 'list',
      reply: IdentityKeys,
      ...orNothing,
      handle: async ({ context }) => {
        const { identity } = context.services
        const all = await identity.entities(context.namespace)
        if (by === 'name') return answerKeys(context, all.map((entity) => entity.name).sort())
        const aliases = await identity.aliases(context.namespace, 'entity')
        const mounts = await authMountsOf(context)
        const info = all.map((entity) => [
          entity.id,
          {
            name: entity.name,
            aliases: aliases.filter(({ of }) => of === entity.id).map((alias) => aliasWire(alias, mounts)),
          },
        ])
        return answerInfo(context, Object.fromEntries(info))
      },
    }),
  ]),
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
    refusals,
    handle: async ({ context, body }) => {
      if (!body.to_entity_id) return refuse('identity_invalid', 'missing entity id to merge to')
      if (!body.from_entity_ids?.length) return refuse('identity_invalid', 'missing entity ids to merge from')
      const { identity } = context.services
      const result = await identity.mergeEntities(context.namespace, body.from_entity_ids, body.to_entity_id)
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'identity.lookup-entity',
    method: 'POST',
    path: '/lookup/entity',
    summary: 'Find an entity by its ID, its name, or an alias',
    access: 'update',
    body: LookupBody,
    refusals,
    reply: IdentityReply,
    also: { 204: { description: 'there is no such entity' } },
    handle: async ({ context, body }) => {
      const { identity } = context.services
      const alias = body.alias_id
        ? await identity.readAlias(context.namespace, body.alias_id)
        : body.alias_name && body.alias_mount_accessor
          ? await identity.findAlias(context.namespace, 'entity', body.alias_mount_accessor, body.alias_name)
          : undefined
      const by = body.id ? { id: body.id } : body.name ? { name: body.name } : alias && { id: alias.of }
      if (by === undefined && !body.alias_id && !body.alias_name)
        return refuse('identity_invalid', 'query parameter not supplied')
      const found = by && (await identity.readEntity(context.namespace, by))
      return found
        ? answerWith(context, { data: entityWire(found, await authMountsOf(context)) })
        : answerDone(context)
    },
  }),
]
