import type * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import type { ApproleRole } from '../../approle/model.ts'
import { answerDone, answerKeys, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { enveloped, Kept, listsKeys, orNothing } from '../core/reply-shapes.ts'
import { tokenSettingsOf } from '../tokens/settings-wire.ts'
import { approleOperations } from './operations.ts'
import { RoleBody, RoleIdReply, RoleReply, roleWire } from './wire.ts'

const at = route<SecretsContext>()
const writes = approleOperations.writeRole
type WriteRefusal = (typeof writes.refuses)[number]

/** Writes the fields of a body into a role; `existing` refuses to create one. */
async function write(
  context: SecretsContext,
  name: string,
  body: z.output<typeof RoleBody>,
  existing: boolean,
): Promise<Reply | Refused<WriteRefusal>> {
  const tokens = tokenSettingsOf(body, { policies: body.policies, period: body.period })
  if (!tokens.ok) return tokens
  const result = await context.services.approle.write(context, {
    name,
    existing,
    roleId: body.role_id,
    bindSecretId: body.bind_secret_id,
    secretIdBoundCidrs: body.secret_id_bound_cidrs ?? body.bound_cidr_list,
    secretIdNumUses: body.secret_id_num_uses,
    secretIdTtlSeconds: body.secret_id_ttl,
    localSecretIds: body.local_secret_ids ?? body.enable_local_secret_ids,
    tokens: tokens.value,
  })
  return result.ok ? answerDone(context) : result
}

/** The fields of a role that have their own path: the path, the field, and its default. */
const ownPaths = [
  ['bind-secret-id', 'bind_secret_id', true],
  ['secret-id-bound-cidrs', 'secret_id_bound_cidrs', []],
  ['secret-id-num-uses', 'secret_id_num_uses', 0],
  ['secret-id-ttl', 'secret_id_ttl', 0],
  ['token-bound-cidrs', 'token_bound_cidrs', []],
  ['token-ttl', 'token_ttl', 0],
  ['token-max-ttl', 'token_max_ttl', 0],
  ['period', 'token_period', 0],
  ['policies', 'token_policies', []],
] as const

const read = (role: ApproleRole, field: string): unknown =>
  Object.entries(roleWire(role)).find(([name]) => name === field)?.[1]

/** The routes about roles, relative to the mount. */
export const approleRoleRoutes = [
  at({
    id: 'approle.roles',
    method: 'LIST',
    path: '/role',
    summary: 'List the roles',
    access: 'list',
    ...listsKeys,
    handle: async ({ context }) => answerKeys(context, await context.services.approle.list(context)),
  }),
  at({
    id: 'approle.read-role',
    method: 'GET',
    path: '/role/:name',
    summary: 'Read a role',
    access: 'read',
    reply: RoleReply,
    ...orNothing,
    handle: async ({ context, params }) => {
      const role = await context.services.approle.read(context, params.name)
      return role ? answerWith(context, { data: roleWire(role) }) : notFound
    },
  }),
  at({
    id: 'approle.write-role',
    method: 'POST',
    path: '/role/:name',
    summary: 'Create or change a role; omitted fields keep their values',
    access: 'create or update',
    body: RoleBody,
    success: 204,
    runs: [writes],
    handle: ({ context, params, body }) => write(context, params.name, body, false),
  }),
  at({
    id: 'approle.delete-role',
    method: 'DELETE',
    path: '/role/:name',
    summary: 'Delete a role with its secret IDs',
    access: 'delete',
    success: 204,
    runs: [approleOperations.deleteRole],
    handle: async ({ context, params }) => {
      const result = await context.services.approle.delete(context, params.name)
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'approle.read-role-id',
    method: 'GET',
    path: '/role/:name/role-id',
    summary: 'Read the role ID of a role',
    access: 'read',
    reply: RoleIdReply,
    ...orNothing,
    handle: async ({ context, params }) => {
      const role = await context.services.approle.read(context, params.name)
      return role ? answerWith(context, { data: { role_id: role.roleId } }) : notFound
    },
  }),
  at({
    id: 'approle.write-role-id',
    method: 'POST',
    path: '/role/:name/role-id',
    summary: 'Change the role ID of a role',
    access: 'update',
    body: RoleBody,
    success: 204,
    runs: [writes],
    handle: ({ context, params, body }): Promise<Reply | Refused<WriteRefusal>> | Refused<WriteRefusal> =>
      body.role_id
        ? write(context, params.name, { ...noFields, role_id: body.role_id }, true)
        : refuse('approle_role_invalid', 'missing role_id'),
  }),
  ...ownPaths.flatMap(([path, field, unset]) => [
    at({
      id: `approle.read-${path}`,
      method: 'GET',
      path: `/role/:name/${path}`,
      summary: `Read ${field} of a role`,
      access: 'read',
      reply: enveloped(Kept),
      ...orNothing,
      handle: async ({ context, params }) => {
        const role = await context.services.approle.read(context, params['name'] ?? '')
        return role ? answerWith(context, { data: { [field]: read(role, field) } }) : notFound
      },
    }),
    at({
      id: `approle.write-${path}`,
      method: 'POST',
      path: `/role/:name/${path}`,
      summary: `Change ${field} of a role`,
      access: 'update',
      body: RoleBody,
      success: 204,
      runs: [writes],
      handle: ({ context, params, body }) => {
        const given =
          body[field] ??
          (field === 'token_policies' ? body.policies : undefined) ??
          (field === 'token_period' ? body.period : undefined)
        return given === undefined
          ? refuse('approle_role_invalid', `missing ${field}`)
          : write(context, params['name'] ?? '', { ...noFields, [field]: given }, true)
      },
    }),
    at({
      id: `approle.unset-${path}`,
      method: 'DELETE',
      path: `/role/:name/${path}`,
      summary: `Reset ${field} of a role`,
      access: 'delete',
      success: 204,
      runs: [writes],
      handle: ({ context, params }) =>
        write(context, params['name'] ?? '', { ...noFields, [field]: unset }, true),
    }),
  ]),
]

/** An empty body. */
const noFields: z.output<typeof RoleBody> = RoleBody.parse({})
