import type * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { answerDone, answerKeys, answerWith, notFound, type SecretsContext } from '../context.ts'
import { mayWarn, orNothing } from '../reply-shapes.ts'
import { answerInfo, authMountsOf } from './context.ts'
import type { IdentityName } from './finding.ts'
import { GroupBody, groupWire, IdentityKeys, IdentityReply, LookupBody } from './wire.ts'

const at = route<SecretsContext>()
const refusals = ['identity_invalid'] as const

async function write(
  context: SecretsContext,
  by: IdentityName | undefined,
  body: z.output<typeof GroupBody>,
): Promise<Reply | Refused<'identity_invalid'>> {
  const result = await context.services.identity.writeGroup(context.namespace, by, {
    name: by && 'name' in by ? undefined : body.name || undefined,
    type: body.type,
    policies: body.policies,
    metadata: body.metadata,
    memberEntityIds: body.member_entity_ids,
    memberGroupIds: body.member_group_ids,
  })
  if (!result.ok) return result
  const { group, isNew } = result.value
  return isNew ? answerWith(context, { data: { id: group.id, name: group.name } }) : answerDone(context)
}

async function read(context: SecretsContext, by: IdentityName): Promise<Reply> {
  const found = await context.services.identity.readGroup(context.namespace, by)
  return found ? answerWith(context, { data: groupWire(found, await authMountsOf(context)) }) : notFound
}

/** The two ways to name a group in a path. */
const ways = [
  { by: 'id', path: '/group/id/:key', list: '/group/id', name: (key: string): IdentityName => ({ id: key }) },
  {
    by: 'name',
    path: '/group/name/*key',
    list: '/group/name',
    name: (key: string): IdentityName => ({ name: key }),
  },
] as const

/** The routes about groups, relative to the identity store. */
export const groupRoutes = [
  at({
    id: 'identity.write-group',
    method: 'POST',
    path: '/group',
    summary: 'Create a group, or change an existing one by its ID or name',
    access: 'update',
    body: GroupBody,
    refusals,
    reply: IdentityReply,
    also: mayWarn.also,
    handle: ({ context, body }) =>
      write(context, body.id ? { id: body.id } : body.name ? { name: body.name } : undefined, body),
  }),
  ...ways.flatMap(({ by, path, list, name }) => [
    at({
      id: `identity.read-group-by-${by}`,
      method: 'GET',
      path,
      summary: `Read a group by its ${by}`,
      access: 'read',
      reply: IdentityReply,
      ...orNothing,
      handle: ({ context, params }) => read(context, name(params['key'] ?? '')),
    }),
    at({
      id: `identity.write-group-by-${by}`,
      method: 'POST',
      path,
      summary: by === 'id' ? 'Change a group' : 'Create or change a group by its name',
      access: 'update',
      body: GroupBody,
      refusals,
      reply: IdentityReply,
      also: mayWarn.also,
      handle: ({ context, params, body }) => write(context, name(params['key'] ?? ''), body),
    }),
    at({
      id: `identity.delete-group-by-${by}`,
      method: 'DELETE',
      path,
      summary: 'Delete a group; its members stay',
      access: 'delete',
      success: 204,
      handle: async ({ context, params }) => {
        await context.services.identity.deleteGroup(context.namespace, name(params['key'] ?? ''))
        return answerDone(context)
      },
    }),
    at({
      id: `identity.groups-by-${by}`,
      method: 'LIST',
      path: list,
      summary: `List the groups by ${by}`,
      access: 'list',
      reply: IdentityKeys,
      ...orNothing,
      handle: async ({ context }) => {
        const all = await context.services.identity.groups(context.namespace)
        if (by === 'name') return answerKeys(context, all.map((group) => group.name).sort())
        const info = all.map((group) => [
          group.id,
          { name: group.name, num_member_entities: group.memberEntityIds.length, num_parent_groups: 0 },
        ])
        return answerInfo(context, Object.fromEntries(info))
      },
    }),
  ]),
  at({
    id: 'identity.lookup-group',
    method: 'POST',
    path: '/lookup/group',
    summary: 'Find a group by its ID, its name, or an alias',
    access: 'update',
    body: LookupBody,
    refusals,
    reply: IdentityReply,
    also: { 204: { description: 'there is no such group' } },
    handle: async ({ context, body }) => {
      const { identity } = context.services
      const alias = body.alias_id
        ? await identity.readAlias(context.namespace, body.alias_id)
        : body.alias_name && body.alias_mount_accessor
          ? await identity.findAlias(context.namespace, 'group', body.alias_mount_accessor, body.alias_name)
          : undefined
      const by = body.id ? { id: body.id } : body.name ? { name: body.name } : alias && { id: alias.of }
      if (by === undefined && !body.alias_id && !body.alias_name)
        return refuse('identity_invalid', 'query parameter not supplied')
      const found = by && (await identity.readGroup(context.namespace, by))
      return found
        ? answerWith(context, { data: groupWire(found, await authMountsOf(context)) })
        : answerDone(context)
    },
  }),
]
