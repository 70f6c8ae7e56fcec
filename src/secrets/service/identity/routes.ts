import type * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import type { Refused } from '../../../kernel/index.ts'
import { answerDone, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { mayWarn, orNothing } from '../core/reply-shapes.ts'
import { answerInfo, authMountsOf } from './context.ts'
import { entityRoutes } from './entity-routes.ts'
import { groupRoutes } from './group-routes.ts'
import { AliasBody, aliasWire, IdentityKeys, IdentityReply } from './wire.ts'

const at = route<SecretsContext>()
const refusals = ['identity_invalid'] as const

async function writeAlias(
  context: SecretsContext,
  kind: 'entity' | 'group',
  id: string | undefined,
  body: z.output<typeof AliasBody>,
): Promise<Reply | Refused<'identity_invalid'>> {
  const mounts = await authMountsOf(context)
  const result = await context.services.identity.writeAlias(
    context.namespace,
    kind,
    {
      id: id || undefined,
      name: body.name || undefined,
      mountAccessor: body.mount_accessor || undefined,
      of: body.canonical_id || body.entity_id || undefined,
      metadata: body.custom_metadata ?? body.metadata,
    },
    mounts,
  )
  return result.ok
    ? answerWith(context, { data: { id: result.value.id, canonical_id: result.value.of } })
    : result
}

/** The routes about aliases, which are alike for entities and groups. */
const aliasRoutes = (['entity', 'group'] as const).flatMap((kind) => {
  const root = `/${kind}-alias` as const
  return [
    at({
      id: `identity.write-${kind}-alias`,
      method: 'POST',
      path: root,
      summary: `Create an alias for ${kind === 'entity' ? 'an entity' : 'an external group'} at an auth mount`,
      access: 'update',
      body: AliasBody,
      refusals,
      reply: IdentityReply,
      also: mayWarn.also,
      handle: ({ context, body }) => writeAlias(context, kind, body.id, body),
    }),
    at({
      id: `identity.write-${kind}-alias-by-id`,
      method: 'POST',
      path: `${root}/id/:id`,
      summary: 'Change an alias',
      access: 'update',
      body: AliasBody,
      refusals,
      reply: IdentityReply,
      handle: ({ context, params, body }) => writeAlias(context, kind, params['id'], body),
    }),
    at({
      id: `identity.read-${kind}-alias`,
      method: 'GET',
      path: `${root}/id/:id`,
      summary: 'Read an alias',
      access: 'read',
      reply: IdentityReply,
      ...orNothing,
      handle: async ({ context, params }) => {
        const alias = await context.services.identity.readAlias(context.namespace, params['id'] ?? '')
        return alias?.kind === kind
          ? answerWith(context, { data: aliasWire(alias, await authMountsOf(context)) })
          : notFound
      },
    }),
    at({
      id: `identity.delete-${kind}-alias`,
      method: 'DELETE',
      path: `${root}/id/:id`,
      summary: 'Delete an alias',
      access: 'delete',
      success: 204,
      handle: async ({ context, params }) => {
        await context.services.identity.deleteAlias(context.namespace, params['id'] ?? '')
        return answerDone(context)
      },
    }),
    at({
      id: `identity.${kind}-aliases`,
      method: 'LIST',
      path: `${root}/id`,
      summary: 'List the aliases',
      access: 'list',
      reply: IdentityKeys,
      ...orNothing,
      handle: async ({ context }) => {
        const mounts = await authMountsOf(context)
        const all = await context.services.identity.aliases(context.namespace, kind)
        return answerInfo(
          context,
          Object.fromEntries(all.map((alias) => [alias.id, aliasWire(alias, mounts)])),
        )
      },
    }),
  ]
})

/** The routes of the identity store, relative to it. */
export const identityRoutes = [...entityRoutes, ...groupRoutes, ...aliasRoutes]
