import type * as z from 'zod'
import type { IdentityAlias } from '../../identity/model.ts'
import { answerWith, asData, notFound, operationRoute } from '../core/context.ts'
import { mayWarn, orNothing } from '../core/reply-shapes.ts'
import { type AliasInput, aliasOperations } from './alias-operations.ts'
import { answerInfo, authMountsOf } from './context.ts'
import { entityRoutes } from './entity-routes.ts'
import { groupRoutes } from './group-routes.ts'
import { AliasBody, aliasWire, IdentityKeys, IdentityReply } from './wire.ts'

const inputOf = (id: string | undefined, body: z.output<typeof AliasBody>): AliasInput => ({
  id: id || undefined,
  name: body.name || undefined,
  mountAccessor: body.mount_accessor || undefined,
  of: body.canonical_id || body.entity_id || undefined,
  metadata: body.custom_metadata ?? body.metadata,
})

const asWritten = asData((alias: IdentityAlias) => ({ id: alias.id, canonical_id: alias.of }))

/** What both routes that write an alias have in common. */
const writes = {
  method: 'POST',
  access: 'update',
  body: AliasBody,
  reply: IdentityReply,
  run: aliasOperations.write,
  show: asWritten,
} as const

/** The routes about aliases, which are alike for entities and groups. */
const aliasRoutes = (['entity', 'group'] as const).flatMap((kind) => {
  const root = `/${kind}-alias` as const
  return [
    operationRoute({
      ...writes,
      id: `identity.write-${kind}-alias`,
      path: root,
      summary: `Create an alias for ${kind === 'entity' ? 'an entity' : 'an external group'} at an auth mount`,
      also: mayWarn.also,
      with: ({ body }) => [kind, inputOf(body.id, body)],
    }),
    operationRoute({
      ...writes,
      id: `identity.write-${kind}-alias-by-id`,
      path: `${root}/id/:id`,
      summary: 'Change an alias',
      with: ({ params, body }) => [kind, inputOf(params['id'], body)],
    }),
    operationRoute({
      id: `identity.read-${kind}-alias`,
      method: 'GET',
      path: `${root}/id/:id`,
      summary: 'Read an alias',
      access: 'read',
      reply: IdentityReply,
      ...orNothing,
      run: aliasOperations.read,
      with: ({ params }) => [params['id'] ?? ''],
      show: async (alias, { context }) =>
        alias?.kind === kind
          ? answerWith(context, { data: aliasWire(alias, await authMountsOf(context)) })
          : notFound,
    }),
    operationRoute({
      id: `identity.delete-${kind}-alias`,
      method: 'DELETE',
      path: `${root}/id/:id`,
      summary: 'Delete an alias',
      access: 'delete',
      run: aliasOperations.delete,
      with: ({ params }) => [params['id'] ?? ''],
    }),
    operationRoute({
      id: `identity.${kind}-aliases`,
      method: 'LIST',
      path: `${root}/id`,
      summary: 'List the aliases',
      access: 'list',
      reply: IdentityKeys,
      ...orNothing,
      run: aliasOperations.list,
      with: () => [kind],
      show: async (all, { context }) => {
        const mounts = await authMountsOf(context)
        const infos = all.map((alias) => [alias.id, aliasWire(alias, mounts)])
        return answerInfo(context, Object.fromEntries(infos))
      },
    }),
  ]
})

/** The routes of the identity store, relative to it. */
export const identityRoutes = [...entityRoutes, ...groupRoutes, ...aliasRoutes]
